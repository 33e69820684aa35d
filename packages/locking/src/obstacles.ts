/** Who is in the way of whom: those who hold, and those who have waited longer. */
import type { Obstacle } from "./candidates.js";
import type { Holds } from "./holds.js";
import { covers } from "./request-rules.js";
import { type Place, type Wait, type Waits, type Wish, wishesOf } from "./waits.js";

/** Looks at the holds and waits that it is given as they are at each call. */
export class Obstacles {
  readonly #holds: Holds;
  readonly #waits: Waits;
  /** Owners who hold something and wait for more. */
  readonly #heldWaiting = new Set<string>();

  constructor(holds: Holds, waits: Waits) {
    this.#holds = holds;
    this.#waits = waits;
  }

  /** To be told of every owner whose holds or whose request have changed. */
  note(key: string): void {
    const isOne = this.#waits.get(key) !== undefined && this.#holds.modesOf(key).size > 0;
    if (isOne) this.#heldWaiting.add(key);
    else this.#heldWaiting.delete(key);
  }

  /** Whether a request that is new in front of others can be what lets one behind it pass. */
  get mayTurn(): boolean {
    return this.#heldWaiting.size > 0;
  }

  /** What is in the way of holding all the wishes, be it a holder or who waits longer; nothing if undefined. */
  first(key: string, wishes: readonly Wish[], place: Place): Obstacle | undefined {
    for (const { lock: wanted, mode } of wishes) {
      const lock = this.#holds.blockingLock(key, wanted, mode);
      if (lock !== undefined) return { kind: "held", lock, mode };
    }
    // As long as one member waits, its entry stands.
    const barrier = this.barriers(key, wishes, place).next().value?.at(-1);
    return barrier && { kind: "behind", key: barrier.key };
  }

  /** Entries that the wishes must not pass. What is covered passes; so does who is waited for. */
  *barriers(key: string, wishes: readonly Wish[], place: Place): Generator<readonly Wait[]> {
    const held = this.#holds.modesOf(key);
    const bound = wishes.filter((wish) => !covers(held, wish));
    if (bound.length === 0) return;
    for (const entry of this.#waits.entriesBefore(key, bound, place)) {
      if (!this.#waitsFor(entry, key)) yield entry;
    }
  }

  /**
   * Whether the entry waits for `key`, directly or through others: its members for the holders in
   * their way and for those who stand before them, these for theirs, and so on.
   */
  #waitsFor(entry: readonly Wait[], key: string): boolean {
    // From those in front a way back leads over somebody who holds what others wait for.
    if (this.#heldWaiting.size === 0 && this.#holds.modesOf(key).size === 0) return false;
    const seen = new Set(entry.map((member) => member.key));
    const open = [...entry];
    for (let wait = open.pop(); wait !== undefined; wait = open.pop()) {
      for (const other of this.#waitedForBy(wait)) {
        if (other === key) return true;
        if (seen.has(other)) continue;
        seen.add(other);
        const next = this.#waits.get(other);
        if (next !== undefined) open.push(next);
      }
    }
    return false;
  }

  *#waitedForBy(wait: Wait): Generator<string> {
    const wishes = wait.queuedFor === undefined ? wishesOf(wait.requests) : [wait.queuedFor];
    for (const { lock, mode } of wishes) yield* this.#holds.blockers(wait.key, lock, mode);
    for (const barrier of this.#waits.entriesBefore(wait.key, wishes, wait)) {
      for (const member of barrier) yield member.key;
    }
  }
}
