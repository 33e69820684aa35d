/** Documents of new jobs, read before the turn of a step, so that other workers do not wait for it. */
import type { Change, JobRow, News } from "@ganeti-ts/job-queue";
import type { JobId } from "@ganeti-ts/protocol";
import type pg from "pg";
import { type NewsRow, rowOfNews } from "./known-jobs.js";
import { type FullRow, newJobs } from "./statements.js";

/** Number of jobs that are read during the turn rather than before the next one. */
const unreadMax = 50;

export class JobsAhead {
  /** Whether others may have submitted jobs since the last time. */
  #isDue = true;
  /** The last id that this worker knows: new jobs have larger ones. */
  #serial = 0;
  #revision = -1;
  #rows: ReadonlyMap<JobId, JobRow> = new Map();

  /** Another worker has made a step that others should not miss. */
  hear(): void {
    this.#isDue = true;
  }

  /** Reads the new jobs that no worker has; does nothing if none are to be expected. */
  async read(client: pg.Client): Promise<void> {
    if (!this.#isDue) return;
    this.#isDue = false;
    const { rows } = await client
      .query<FullRow & { revision: string }>(newJobs(this.#serial))
      .catch((error: unknown) => {
        this.#isDue = true;
        throw error;
      });
    this.#revision = rows[0] === undefined ? -1 : Number(rows[0].revision);
    this.#rows = new Map(rows.map((row) => [Number(row.id) as JobId, rowOfNews(row)]));
  }

  /**
   * Whether the turn has come with many new jobs that have not been read: the submitter may have had it until now.
   * The worker then gives it up, and reads them first.
   */
  isLate(news: readonly (readonly NewsRow[] | null)[] | null): boolean {
    const unread = new Set<number>();
    for (const rows of news ?? []) {
      for (const [id, status, , worker] of rows ?? []) {
        if (id <= this.#serial || this.#rows.has(id as JobId)) continue;
        if (status === "queued" && worker === null) unread.add(id);
        else unread.delete(id);
      }
    }
    this.#isDue ||= unread.size > unreadMax;
    return unread.size > unreadMax;
  }

  /** The job, unless it has not been read, or has changed since: `changed` is the revision of its last change. */
  rowAt(id: JobId, changed: number): JobRow | undefined {
    return changed <= this.#revision ? this.#rows.get(id) : undefined;
  }

  /** Applies the news and the changes of a step that has been committed. */
  learn(news: News, changes: readonly Change[]): void {
    this.#rows = new Map();
    this.#serial = Math.max(this.#serial, news.serial);
    for (const change of changes) {
      if (change.kind === "serial") this.#serial = Math.max(this.#serial, change.serial);
    }
  }
}
