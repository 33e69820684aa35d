/** Jobs, locks and filter rules as queries see them. */

import type { QueueReader } from "@ganeti-ts/cluster-queries";
import type { LockManager } from "@ganeti-ts/locking";
import type { ClusterQueue } from "./cluster-queue.js";

/** @param queue is called at each query: the operations of jobs, which query too, are made before the queue is */
export const queueReader = (queue: () => ClusterQueue, locks: LockManager): QueueReader => ({
  query: (ids, fields, options) => queue().rows(ids, fields, options),
  get rules() {
    return queue().rules;
  },
  get settings() {
    return queue().settings;
  },
  locks: () => locks.monitor(),
});
