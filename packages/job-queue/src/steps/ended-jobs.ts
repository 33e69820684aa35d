/** Jobs that ended a moment ago: clients that wait for a job read it just then. */
import { isFinalized, type JobId } from "@ganeti-ts/protocol";
import type { Change, JobRow } from "../stores/store.js";

const jobsMax = 256;

/** Most opcodes of a job that is kept: others are read from the store. */
const opcodesMax = 16;

/** The last ended jobs, as the store has them; only for a store without other writers. */
export class EndedJobs {
  /** In the order of their ends. */
  readonly #rows = new Map<JobId, JobRow>();

  get(id: JobId): JobRow | undefined {
    return this.#rows.get(id);
  }

  /** To be called when the changes are durable. */
  learn(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.kind === "archive") for (const id of change.ids) this.#rows.delete(id);
      if (change.kind !== "job" || !isFinalized(change.status)) continue;
      const { job, status, claim } = change;
      if (job.opcodes.length > opcodesMax) continue;
      this.#rows.set(job.id, { id: job.id, status, archived: false, claim, job });
      if (this.#rows.size <= jobsMax) continue;
      const [oldest] = this.#rows.keys();
      if (oldest !== undefined) this.#rows.delete(oldest);
    }
  }
}
