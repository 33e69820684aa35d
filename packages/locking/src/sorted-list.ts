/** Sorted list for some thousands of items. */

/**
 * Items in the order of `compare`, which must distinguish any two of them. Lookup costs O(log n), a change
 * moves the following items.
 */
export class SortedList<Item> {
  readonly #compare: (a: Item, b: Item) => number;
  readonly #items: Item[] = [];

  constructor(compare: (a: Item, b: Item) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#items.length;
  }

  /** The iterator is invalid after a change. */
  [Symbol.iterator](): IterableIterator<Item> {
    return this.#items[Symbol.iterator]();
  }

  /** No effect if it is already in the list. */
  insert(item: Item): void {
    const at = this.#place(item);
    if (this.#items[at] !== item) this.#items.splice(at, 0, item);
  }

  delete(item: Item): void {
    const at = this.#place(item);
    if (this.#items[at] === item) this.#items.splice(at, 1);
  }

  /** The first item after `mark`, which need not be in the list; the first of all without one. */
  firstAfter(mark: Item | undefined): Item | undefined {
    if (mark === undefined) return this.#items[0];
    const at = this.#place(mark);
    const found = this.#items[at];
    return found !== undefined && this.#compare(found, mark) === 0 ? this.#items[at + 1] : found;
  }

  /** Number of items before `item`. */
  #place(item: Item): number {
    let low = 0;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#compare(this.#items[middle] as Item, item) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
