/** Documents of new jobs, read before the turn of a step, so that other workers do not wait for it. */
import type { Change, JobRow, News } from "@ganeti-ts/job-queue";
import type { JobId } from "@ganeti-ts/protocol";
import type pg from "pg";
import { rowsOfBundle } from "./job-bundle.js";
import { lightRow, type NewsRow } from "./known-jobs.js";
import { type BundleRow, newJobs } from "./statements.js";

/** Number of jobs that are read during the turn rather than before the next one. */
const unreadMax = 50;

export class JobsAhead {
  /** Whether others may have submitted jobs since the last time. */
  #isDue = true;
  /** The last id that this worker knows: new jobs have larger ones. */
  #serial = 0;
  #revision = -1;
  #rows = new Map<JobId, JobRow>();

  /** Another worker has made a step that others should not miss. */
  hear(): void {
    this.#isDue = true;
  }

  /** Reads the new jobs that no worker has; does nothing if none are to be expected. */
  async read(client: pg.Client): Promise<void> {
    if (!this.#isDue) return;
    this.#isDue = false;
    const { rows } = await client
      .query<BundleRow>(newJobs(this.#serial))
      .catch((error: unknown) => {
        this.#isDue = true;
        throw error;
      });
    this.#revision = rows[0] === undefined ? -1 : Number(rows[0].revision);
    this.#rows = new Map();
    for (const bundle of rows) for (const row of rowsOfBundle(bundle)) this.#rows.set(row.id, row);
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

  /**
   * The row of `news`, made at the revision `changed`: with the document if the job has been read and is still as it
   * was then.
   */
  rowOf(news: NewsRow, changed: number): JobRow {
    const [id, , , worker] = news;
    const isAsRead = worker === null && changed <= this.#revision;
    return (isAsRead ? this.#rows.get(id as JobId) : undefined) ?? lightRow(news);
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
