/** JobSlots: limits the number of jobs that the watcher has in the queue at the same time. */

/** Limits concurrent work across all node groups. `max` is evaluated whenever work starts. */
export class JobSlots {
  readonly #max: () => number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(max: () => number) {
    this.#max = max;
  }

  /**
   * Calls `work` for each item, in order, as slots become free; resolves when all calls have ended. After a failed
   * call no further one begins, and its error is thrown.
   */
  async each<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
    // Unlike the iterator of an array, a generator ends for all lanes when one of them fails.
    const rest = oneByOne(items);
    const lane = async () => {
      for (const item of rest) await this.#inSlot(() => work(item));
    };
    const laneCount = Math.min(items.length, this.#limit());
    const ended = await Promise.allSettled(Array.from({ length: laneCount }, lane));
    for (const one of ended) if (one.status === "rejected") throw one.reason;
  }

  async #inSlot(work: () => Promise<unknown>): Promise<void> {
    while (this.#taken >= this.#limit()) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#taken++;
    try {
      await work();
    } finally {
      this.#taken--;
      this.#waiting.shift()?.();
    }
  }

  #limit(): number {
    return Math.max(1, this.#max());
  }
}

function* oneByOne<Item>(items: readonly Item[]): Generator<Item> {
  yield* items;
}
