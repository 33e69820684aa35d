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

/** Number of events kept for clients that come back, and their characters. */
const keptMax = 10_000;
const keptLengthMax = 8 * 2 ** 20;

export class Events {
  /** Tells events of this process from those of another one. */
  readonly epoch: string;
  readonly #kept: Event[] = [];
  readonly #followers = new Set<Follower>();
  /** Characters of the events kept. */
  #length = 0;
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
    this.#length += data.length;
    for (const follower of this.#followers) follower.more();
    // Not at every event: that would move all that are kept. Followers have it by now, however long it is.
    if (this.#kept.length > 2 * keptMax || this.#length > 2 * keptLengthMax) this.#drop();
  }

  /** The oldest events go, until no more are kept than are promised. */
  #drop(): void {
    let count = 0;
    let length = this.#length;
    while (this.#kept.length - count > keptMax || length > keptLengthMax) {
      length -= (this.#kept[count++] as Event).data.length;
    }
    this.#kept.splice(0, count);
    this.#length = length;
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
