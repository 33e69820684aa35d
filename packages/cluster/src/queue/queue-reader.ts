/** queueReader: jobs, locks and filter rules as data for queries. */

import type { QueueReader } from "@ganeti-ts/cluster-queries";
import type { LockManager } from "@ganeti-ts/locking";
import type { ClusterQueue } from "./cluster-queue.js";

/**
 * @param queue is called at each query, because the operations of jobs, which query too, are
 * created before the queue
 */
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
