import type { JobQueue } from "@ganeti-ts/job-queue";
import { isFinalized, type JobId, type JobStatus } from "@ganeti-ts/protocol";

/** `gnt-job cancel --kill` of every job that has not ended. */
export async function killAll(queue: JobQueue): Promise<void> {
  const rows = await queue.query([], ["id", "status"]);
  for (const row of rows) {
    const [id, status] = row as [JobId, JobStatus];
    if (!isFinalized(status)) await queue.cancel(id, { kill: true });
  }
}
