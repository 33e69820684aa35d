/** What has happened to jobs and to the configuration, one event after the other, for those who follow. */

export interface Event {
  /** Rises by one with each. */
  readonly number: number;
  readonly kind: "job" | "config" | "reset";
  readonly data: string;
}

/** So many are kept for those who come back. */
const keptMax = 10_000;

export class Events {
  /** Tells events of this process from those of another one. */
  readonly epoch: string;
  readonly #kept: Event[] = [];
  readonly #listeners = new Set<() => void>();
  #last = 0;

  constructor(epoch: string) {
    this.epoch = epoch;
  }

  get last(): number {
    return this.#last;
  }

  add(kind: Event["kind"], data: string): void {
    this.#last += 1;
    this.#kept.push({ number: this.#last, kind, data });
    // Not at every event: that would move all that are kept.
    if (this.#kept.length > 2 * keptMax) this.#kept.splice(0, keptMax);
    for (const listener of this.#listeners) listener();
  }

  /** Those after a number; undefined if some of them are not kept any more. */
  since(number: number): readonly Event[] | undefined {
    const first = this.#last - this.#kept.length;
    if (number < first || number > this.#last) return undefined;
    return this.#kept.slice(number - first);
  }

  /** Calls `listener` after each event; gives what ends that. */
  follow(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
