/** Counts and id lists of the jobs that are not archived, updated incrementally. */
import type { JobId, JobStatus } from "@ganeti-ts/protocol";
import { type Change, changedId, type News } from "../stores/store.js";
import { JobTable } from "./job-table.js";

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

interface Draft {
  readonly ids: readonly JobId[];
  /** Whether the list is a copy, to be changed, of the present block's. */
  readonly isCopy: boolean;
}

/** Ids of a block differ only in the last nine bits. */
const blockBits = 9;
const blockSize = 2 ** blockBits;

/** A change costs O(1), and a step the id lists of the blocks with new or archived jobs, of at most 512 ids each. */
export class Roster implements LiveJobs {
  readonly #statuses = new JobTable<JobStatus>();
  readonly #counts = new Map<JobStatus, number>();
  readonly #blocks = new Map<number, JobBlock>();
  /** Blocks that the present step changes. */
  readonly #drafts = new Map<number, Draft>();
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
      if (change.kind === "job") this.#put(changedId(change), change.status);
      else if (change.kind === "archive") for (const id of change.ids) this.#remove(id);
    }
    this.#replaceBlocks();
  }

  #clear(): void {
    this.#statuses.clear();
    this.#counts.clear();
    this.#blocks.clear();
    this.#list = undefined;
  }

  #put(id: JobId, status: JobStatus): void {
    const before = this.#statuses.get(id);
    if (before === undefined) addTo(this.#draftOf(id, true), id);
    else {
      this.#draftOf(id, false);
      this.#count(before, -1);
    }
    this.#count(status, 1);
    this.#statuses.set(id, status);
  }

  #remove(id: JobId): void {
    const before = this.#statuses.get(id);
    if (before === undefined) return;
    this.#statuses.delete(id);
    this.#count(before, -1);
    const ids = this.#draftOf(id, true);
    ids.splice(ids.indexOf(id), 1);
  }

  /** Ids of the block of `id` as they will be, in a copy if `toChange`. */
  #draftOf(id: JobId, toChange: boolean): JobId[] {
    const key = blockOf(id);
    const draft = this.#drafts.get(key);
    const present = draft ?? { ids: this.#blocks.get(key)?.ids ?? [], isCopy: false };
    if (draft === undefined || (toChange && !draft.isCopy)) {
      const copied = toChange ? { ids: [...present.ids], isCopy: true } : present;
      this.#drafts.set(key, copied);
      return copied.ids as JobId[];
    }
    return present.ids as JobId[];
  }

  #replaceBlocks(): void {
    if (this.#drafts.size === 0) return;
    for (const [key, { ids }] of this.#drafts) {
      if (ids.length === 0) this.#blocks.delete(key);
      else this.#blocks.set(key, { ids });
    }
    this.#drafts.clear();
    this.#list = undefined;
  }

  #count(status: JobStatus, by: number): void {
    const count = (this.#counts.get(status) ?? 0) + by;
    if (count === 0) this.#counts.delete(status);
    else this.#counts.set(status, count);
  }
}

const blockOf = (id: JobId): number => Math.floor(id / blockSize);

/** Inserts an id in order. */
function addTo(ids: JobId[], id: JobId): void {
  const last = ids.at(-1);
  if (last === undefined || last < id) ids.push(id);
  else
    ids.splice(
      ids.findIndex((one) => one > id),
      0,
      id,
    );
}
