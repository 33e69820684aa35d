/** Table with a value per job, for large numbers of jobs. */
import type { JobId } from "@ganeti-ts/protocol";

/** Ids of a page differ only in the last eight bits. */
const pageSize = 2 ** 8;

/** Values of consecutive ids; undefined where there is none. */
interface Page<Value> {
  readonly values: (Value | undefined)[];
  count: number;
}

/**
 * Like a Map, for values other than undefined. Ids are given in order, so values are kept in pages of 256 ids: an
 * access searches a hash table with an entry per page, which stays in the processor's cache and is rarely rebuilt.
 * A page is dropped with its last job, so a few old jobs among many ended ones take 2 KiB each at most.
 */
export class JobTable<Value extends NonNullable<unknown> | null> {
  readonly #pages = new Map<number, Page<Value>>();
  /** The last dropped page, to be reused: a queue with few jobs would allocate one for each of them. */
  #spare: Page<Value> | undefined;
  #pagesCreated = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(id: JobId): Value | undefined {
    return this.#pages.get(pageOf(id))?.values[id % pageSize];
  }

  has(id: JobId): boolean {
    return this.get(id) !== undefined;
  }

  set(id: JobId, value: Value): void {
    const page = this.#pages.get(pageOf(id)) ?? this.#newPage(pageOf(id));
    const at = id % pageSize;
    if (page.values[at] === undefined) {
      page.count++;
      this.#size++;
    }
    page.values[at] = value;
  }

  /** Whether there was a value. */
  delete(id: JobId): boolean {
    const page = this.#pages.get(pageOf(id));
    const at = id % pageSize;
    if (page === undefined || page.values[at] === undefined) return false;
    page.values[at] = undefined;
    page.count--;
    this.#size--;
    if (page.count === 0) {
      this.#pages.delete(pageOf(id));
      this.#spare = page;
    }
    return true;
  }

  clear(): void {
    this.#pages.clear();
    this.#size = 0;
  }

  /**
   * Ids ascending. The table may change during the iteration, which visits each job that has a value when its turn
   * comes.
   */
  *keys(): IterableIterator<JobId> {
    for (let next = 0; ; ) {
      const created = this.#pagesCreated;
      const numbers = [...this.#pages.keys()].filter((number) => number >= next);
      if (numbers.length === 0) return;
      for (const number of numbers.sort((a, b) => a - b)) {
        // The new pages are not in this list.
        if (this.#pagesCreated !== created) break;
        for (let at = 0; at < pageSize; at++) {
          // Looked up each time, because the page may have been dropped, and reused for other ids.
          const value = this.#pages.get(number)?.values[at];
          if (value !== undefined) yield (number * pageSize + at) as JobId;
        }
        next = number + 1;
      }
    }
  }

  /** Values in the order of `keys`. */
  *values(): IterableIterator<Value> {
    for (const id of this.keys()) yield this.get(id) as Value;
  }

  #newPage(number: number): Page<Value> {
    const page = this.#spare ?? { values: new Array(pageSize).fill(undefined), count: 0 };
    this.#spare = undefined;
    this.#pagesCreated++;
    this.#pages.set(number, page);
    return page;
  }
}

const pageOf = (id: JobId): number => Math.floor(id / pageSize);
