/** Which waiting requests are worth another look: only those whose obstacle may have gone. */
import type { Holds } from "./holds.js";
import type { LockName } from "./lock-name.js";
import type { LockMode } from "./lock-request.js";
import { SortedList } from "./sorted-list.js";
import { comparePlaces, type Wait } from "./waits.js";

/** One reason why a request cannot be served; there may be others. */
export type Obstacle =
  /** Others hold `lock`, which does not go with what is wanted in `mode`. */
  | { readonly kind: "held"; readonly lock: LockName; readonly mode: LockMode }
  /** The request of `key` stands in front. */
  | { readonly kind: "behind"; readonly key: string };

/**
 * Requests are looked at in rounds, each in order: queues first, then batches. Who cannot be served
 * names one obstacle and is not looked at again while that stands; so the cost of a change is that of
 * the requests whose obstacle it took away. Of those who waited for one lock the first ones are looked at
 * until it is held again in a way that keeps all the others.
 */
export class Candidates {
  readonly #obstacles = new Map<Wait, Obstacle>();
  /** Who waits for others to let go of a lock, by the mode that is wanted. */
  readonly #byLock = new Map<LockName, Record<LockMode, SortedList<Wait>>>();
  readonly #behind = new Map<string, Set<Wait>>();
  /** Locks that somebody let go of. */
  readonly #freed = new Set<LockName>();
  readonly #open = new SortedList<Wait>(compareTurns);
  /** Their turn comes in the next round. */
  readonly #later = new Set<Wait>();

  add(wait: Wait): void {
    this.#later.add(wait);
  }

  /** It waits no more: those behind it may go on. */
  remove(wait: Wait): void {
    this.#later.delete(wait);
    this.#take(wait);
    for (const other of [...(this.#behind.get(wait.key) ?? [])]) this.#reopen(other);
  }

  hinder(wait: Wait, obstacle: Obstacle): void {
    this.#take(wait);
    this.#obstacles.set(wait, obstacle);
    if (obstacle.kind === "held") {
      let lists = this.#byLock.get(obstacle.lock);
      if (lists === undefined) {
        const list = () => new SortedList<Wait>(compareTurns);
        lists = { shared: list(), exclusive: list() };
        this.#byLock.set(obstacle.lock, lists);
      }
      lists[obstacle.mode].insert(wait);
    } else {
      const others = this.#behind.get(obstacle.key);
      if (others === undefined) this.#behind.set(obstacle.key, new Set([wait]));
      else others.add(wait);
    }
  }

  /** Somebody let go of the lock, or shares it now. */
  free(lock: LockName): void {
    if (this.#byLock.has(lock)) this.#freed.add(lock);
  }

  /** Who stands in front of whom may be different for everybody. */
  reopenBehind(): void {
    for (const waits of [...this.#behind.values()]) {
      for (const wait of [...waits]) this.#reopen(wait);
    }
  }

  beginRound(): void {
    for (const wait of this.#later) this.#open.insert(wait);
    this.#later.clear();
  }

  /** The next one in this round after `last`, to be hindered or removed before this is asked again. */
  next(last: Wait | undefined, holds: Holds): Wait | undefined {
    let first = this.#open.firstAfter(last);
    for (const lock of this.#freed) {
      for (const wait of this.#freeOf(lock, last, holds)) {
        if (first === undefined || compareTurns(wait, first) < 0) first = wait;
      }
    }
    return first;
  }

  /** After a round that changed nothing: the obstacles of all who wait stand. */
  end(): void {
    this.#freed.clear();
  }

  /** The first ones after `last` that the lock, as it is held now, keeps no more. */
  #freeOf(lock: LockName, last: Wait | undefined, holds: Holds): Wait[] {
    const lists = this.#byLock.get(lock);
    if (lists === undefined) return [];
    const holders = holds.holdersOf(lock);
    const [[holder, mode] = [undefined, undefined]] = holders;
    if (mode === "exclusive") return [];
    const found = [lists.shared.firstAfter(last)];
    if (holder === undefined) found.push(lists.exclusive.firstAfter(last));
    else if (holders.size === 1) found.push(ownOf(lists.exclusive, holder, last));
    return found.filter((wait) => wait !== undefined);
  }

  #reopen(wait: Wait): void {
    this.#take(wait);
    this.#open.insert(wait);
  }

  #take(wait: Wait): void {
    this.#open.delete(wait);
    const obstacle = this.#obstacles.get(wait);
    if (obstacle === undefined) return;
    this.#obstacles.delete(wait);
    if (obstacle.kind === "held") {
      const lists = this.#byLock.get(obstacle.lock);
      lists?.[obstacle.mode].delete(wait);
      if (lists?.shared.size === 0 && lists.exclusive.size === 0)
        this.#byLock.delete(obstacle.lock);
    } else {
      const others = this.#behind.get(obstacle.key);
      others?.delete(wait);
      if (others?.size === 0) this.#behind.delete(obstacle.key);
    }
  }
}

/** What the only one who shares a lock waits for itself: it is not in its own way. */
function ownOf(waits: Iterable<Wait>, key: string, last: Wait | undefined): Wait | undefined {
  for (const wait of waits) {
    if (wait.key === key)
      return last === undefined || compareTurns(last, wait) < 0 ? wait : undefined;
  }
  return undefined;
}

/** Queues before batches, each by place. */
const compareTurns = (a: Wait, b: Wait): number =>
  Number(a.queuedFor === undefined) - Number(b.queuedFor === undefined) || comparePlaces(a, b);
