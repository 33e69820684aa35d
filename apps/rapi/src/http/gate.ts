/** How many requests are worked on at the same time; the others wait for their turn. */

export class Gate {
  readonly #max: number;
  #inside = 0;
  readonly #waiting: (() => void)[] = [];

  /** @param max at least 1 */
  constructor(max: number) {
    this.#max = max;
  }

  /** Runs `work` when there is room, in the order of the calls. */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inside < this.#max) this.#inside += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // Whoever waits takes over the place.
      if (next === undefined) this.#inside -= 1;
      else next();
    }
  }
}
