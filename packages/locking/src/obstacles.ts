/** Obstacles of requests: conflicting holders, and requests that have waited longer. */
import type { Obstacle } from "./candidates.js";
import type { Holds } from "./holds.js";
import { covers } from "./request-rules.js";
import { type Place, type Wait, type Waits, type Wish, wishesOf } from "./waits.js";

/** Evaluates the present holds and waits at each call. */
export class Obstacles {
  readonly #holds: Holds;
  readonly #waits: Waits;
  /** Owners who hold locks and wait for more. */
  readonly #heldWaiting = new Set<string>();

  constructor(holds: Holds, waits: Waits) {
    this.#holds = holds;
    this.#waits = waits;
  }

  /** To be called for every owner whose holds or whose request have changed. */
  note(key: string): void {
    const isOne = this.#waits.get(key) !== undefined && this.#holds.modesOf(key).size > 0;
    if (isOne) this.#heldWaiting.add(key);
    else this.#heldWaiting.delete(key);
  }

  /** Whether a new request in front of others can let one behind it pass. */
  get mayTurn(): boolean {
    return this.#heldWaiting.size > 0;
  }

  /**
   * The first obstacle to holding all the wishes, a holder or a request that has waited longer; undefined if
   * there is none.
   */
  first(key: string, wishes: readonly Wish[], place: Place): Obstacle | undefined {
    for (const { lock: wanted, mode } of wishes) {
      const lock = this.#holds.blockingLock(key, wanted, mode);
      if (lock !== undefined) return { kind: "held", lock, mode };
    }
    // An entry exists as long as one of its members waits.
    const barrier = this.barriers(key, wishes, place).next().value?.at(-1);
    return barrier && { kind: "behind", key: barrier.key };
  }

  /**
   * Entries that the wishes must not pass. Wishes covered by held locks pass, and so does an owner that the
   * entry waits for.
   */
  *barriers(key: string, wishes: readonly Wish[], place: Place): Generator<readonly Wait[]> {
    const held = this.#holds.modesOf(key);
    const bound = wishes.filter((wish) => !covers(held, wish));
    if (bound.length === 0) return;
    for (const entry of this.#waits.entriesBefore(key, bound, place)) {
      if (!this.#waitsFor(entry, key)) yield entry;
    }
  }

  /**
   * Whether the entry waits for `key`, directly or through others: its members for conflicting holders and
   * for the entries in front of them, these for theirs, and so on.
   */
  #waitsFor(entry: readonly Wait[], key: string): boolean {
    // A cycle must include an owner who both holds locks and waits.
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
