/** Events of a cluster: changes of jobs and of the configuration, in order. */

/** One change of a job, of the configuration or of filter rules; `reset` tells a follower to read everything again. */
export interface Event {
  /** Increases by one with each event. */
  readonly number: number;
  readonly kind: "job" | "config" | "rules" | "reset";
  readonly data: string;
}

/** Receiver of events. */
interface Follower {
  /** Called when there are further events. */
  more(): void;
  /** Called when there will be no further events. */
  end(): void;
}

/** Number of events kept for followers that reconnect, and their characters. */
const keptMax = 10_000;
const keptLengthMax = 8 * 2 ** 20;

/** The latest events of this process, and the followers that are notified of each new one. */
export class Events {
  /** Distinguishes events of this process from those of others. */
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
    // Only when twice the limit is kept, because dropping moves all kept events. Current followers
    // have the event by now, whatever its length.
    if (this.#kept.length > 2 * keptMax || this.#length > 2 * keptLengthMax) this.#drop();
  }

  /** Drops the oldest events down to the limit. */
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

  /** Whether following is no longer possible. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Ends all followers and refuses new ones. */
  close(): void {
    this.#isOver = true;
    for (const follower of [...this.#followers]) follower.end();
  }

  /** Events after a number; undefined if some of them have been dropped. */
  since(number: number): readonly Event[] | undefined {
    const first = this.#last - this.#kept.length;
    if (number < first || number > this.#last) return undefined;
    return this.#kept.slice(number - first);
  }

  /** Calls `follower` after each event; returns a function that ends that. */
  follow(follower: Follower): () => void {
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }
}
