/** Events of a cluster: changes of jobs and of the configuration, in order, for those who follow. */

export interface Event {
  /** Rises by one with each. */
  readonly number: number;
  readonly kind: "job" | "config" | "reset";
  readonly data: string;
}

/** Who is told of events. */
export interface Follower {
  /** There are more than before. */
  more(): void;
  /** There will be no more. */
  end(): void;
}

/** So many are kept for those who come back. */
const keptMax = 10_000;

export class Events {
  /** Tells events of this process from those of another one. */
  readonly epoch: string;
  readonly #kept: Event[] = [];
  readonly #followers = new Set<Follower>();
  #last = 0;
  #isOver = false;

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
    for (const follower of this.#followers) follower.more();
  }

  get followerCount(): number {
    return this.#followers.size;
  }

  /** Nobody can follow any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Sends everybody away, and lets nobody in. */
  close(): void {
    this.#isOver = true;
    for (const follower of [...this.#followers]) follower.end();
  }

  /** Those after a number; undefined if some of them are not kept any more. */
  since(number: number): readonly Event[] | undefined {
    const first = this.#last - this.#kept.length;
    if (number < first || number > this.#last) return undefined;
    return this.#kept.slice(number - first);
  }

  /** Tells `follower` after each event; gives what ends that. */
  follow(follower: Follower): () => void {
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }
}
