/** Statuses of single jobs. */
import type { JobId, JobStatus } from "@ganeti-ts/protocol";
import type { QueueReader } from "./query-resource.js";

/** Without jobs that do not exist; archived ones are included. */
export async function jobStatuses(
  queue: Pick<QueueReader, "query">,
  jobs: Iterable<JobId>,
): Promise<ReadonlyMap<JobId, JobStatus>> {
  const ids = [...new Set(jobs)];
  const statuses = new Map<JobId, JobStatus>();
  if (ids.length === 0) return statuses;
  for await (const rows of queue.query(ids, ["id", "status"], { archived: true })) {
    for (const row of rows) if (row) statuses.set(row[0] as JobId, row[1] as JobStatus);
  }
  return statuses;
}
