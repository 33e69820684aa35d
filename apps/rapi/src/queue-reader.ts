/** Jobs, locks and filter rules as queries see them: what must stay secret is covered. */

import type { QueueReader } from "@ganeti-ts/cluster-queries";
import type { JobQueue } from "@ganeti-ts/job-queue";
import type { LockManager } from "@ganeti-ts/locking";
import { valuesWithoutSecrets } from "./secrets.js";

/** @param queue is asked for at each question: who asks may be part of the queue */
export const queueReader = (queue: () => JobQueue, locks: LockManager): QueueReader => ({
  async *query(ids, fields, options) {
    for await (const rows of queue().rows(ids, fields, options)) {
      yield rows.map((row) => row && valuesWithoutSecrets(fields, row));
    }
  },
  get rules() {
    return queue().rules;
  },
  get settings() {
    return queue().settings;
  },
  locks: () => locks.monitor(),
});
