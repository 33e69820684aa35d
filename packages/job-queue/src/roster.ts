/** Counts and id lists of the jobs that are not archived, updated incrementally. */
import type { JobId, JobStatus } from "@ganeti-ts/protocol";
import type { Change, News } from "./store.js";

/**
 * Jobs with consecutive ids. A block is immutable: when one of its jobs changes it is replaced, with the same
 * list of ids unless that changes. So data derived from a block, or from its ids, can be cached.
 */
export interface JobBlock {
  /** Ascending, never empty. */
  readonly ids: readonly JobId[];
}

/** Jobs that are not archived. */
export interface LiveJobs {
  readonly size: number;
  /** Number of jobs by status; statuses without jobs are missing. */
  readonly counts: ReadonlyMap<JobStatus, number>;
  /** Ids ascending over all blocks. O(blocks) after a change, else O(1). */
  readonly blocks: readonly JobBlock[];
}

/** Ids of a block differ only in the last nine bits. */
const blockBits = 9;
const blockSize = 2 ** blockBits;

/** A change costs O(1) plus the id list of its block, with at most 512 ids. */
export class Roster implements LiveJobs {
  readonly #statuses = new Map<JobId, JobStatus>();
  readonly #counts = new Map<JobStatus, number>();
  readonly #blocks = new Map<number, JobBlock>();
  #list: readonly JobBlock[] | undefined;

  get size(): number {
    return this.#statuses.size;
  }

  get counts(): ReadonlyMap<JobStatus, number> {
    return this.#counts;
  }

  get blocks(): readonly JobBlock[] {
    this.#list ??= [...this.#blocks].sort(([a], [b]) => a - b).map(([, block]) => block);
    return this.#list;
  }

  /** Applies the news and the changes of a step, once that is durable. */
  learn(news: News, changes: readonly Change[]): void {
    if (news.finished !== undefined) {
      this.#clear();
      for (const { id, status } of news.finished) this.#put(id, status);
    }
    for (const { id, status, archived } of news.jobs) {
      if (archived) this.#remove(id);
      else this.#put(id, status);
    }
    for (const change of changes) {
      if (change.kind === "job") this.#put(change.job.id, change.status);
      else if (change.kind === "archive") for (const id of change.ids) this.#remove(id);
    }
  }

  #clear(): void {
    this.#statuses.clear();
    this.#counts.clear();
    this.#blocks.clear();
    this.#list = undefined;
  }

  #put(id: JobId, status: JobStatus): void {
    const key = blockOf(id);
    const ids = this.#blocks.get(key)?.ids ?? [];
    const before = this.#statuses.get(id);
    this.#blocks.set(key, { ids: before === undefined ? withId(ids, id) : ids });
    this.#list = undefined;
    if (before !== undefined) this.#count(before, -1);
    this.#count(status, 1);
    this.#statuses.set(id, status);
  }

  #remove(id: JobId): void {
    const before = this.#statuses.get(id);
    if (before === undefined) return;
    this.#statuses.delete(id);
    this.#count(before, -1);
    const key = blockOf(id);
    const ids = (this.#blocks.get(key)?.ids ?? []).filter((one) => one !== id);
    if (ids.length === 0) this.#blocks.delete(key);
    else this.#blocks.set(key, { ids });
    this.#list = undefined;
  }

  #count(status: JobStatus, by: number): void {
    const count = (this.#counts.get(status) ?? 0) + by;
    if (count === 0) this.#counts.delete(status);
    else this.#counts.set(status, count);
  }
}

const blockOf = (id: JobId): number => Math.floor(id / blockSize);

/** The ids with one more, ascending. */
function withId(ids: readonly JobId[], id: JobId): readonly JobId[] {
  const last = ids.at(-1);
  if (last === undefined || last < id) return [...ids, id];
  const at = ids.findIndex((one) => one > id);
  return [...ids.slice(0, at), id, ...ids.slice(at)];
}
