/** Candidates: waiting requests to examine again, because their obstacle may have gone. */
import type { Holds } from "./holds.js";
import type { LockName } from "./lock-name.js";
import type { LockMode } from "./lock-request.js";
import { SortedList } from "./sorted-list.js";
import { comparePlaces, type Wait } from "./waits.js";

/** One reason why a request cannot be served; there may be others. */
export type Obstacle =
  /** Others hold `lock` in a way that conflicts with `mode`. */
  | { readonly kind: "held"; readonly lock: LockName; readonly mode: LockMode }
  /** The request of `key` is queued in front. */
  | { readonly kind: "behind"; readonly key: string };

/**
 * Requests are examined in rounds, each in order: queues first, then batches. A request that cannot be served
 * records one obstacle and is not examined again while that exists; so the cost of a change is that of the
 * requests whose obstacle it removed. Among the requests that waited for one lock, the first ones are
 * examined until it is held again in a way that blocks all others.
 */
export class Candidates {
  readonly #obstacles = new Map<Wait, Obstacle>();
  /** Requests that wait for the release of a lock, by the wanted mode. */
  readonly #byLock = new Map<LockName, Record<LockMode, SortedList<Wait>>>();
  readonly #behind = new Map<string, Set<Wait>>();
  /** Locks released since the last round. */
  readonly #freed = new Set<LockName>();
  readonly #open = new SortedList<Wait>(compareTurns);
  /** To be examined in the next round. */
  readonly #later = new Set<Wait>();

  add(wait: Wait): void {
    this.#later.add(wait);
  }

  /** It no longer waits: requests behind it may proceed. */
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

  /** The lock was released, or is now shared. */
  free(lock: LockName): void {
    if (this.#byLock.has(lock)) this.#freed.add(lock);
  }

  /** The order of barriers may have changed for all requests. */
  reopenBehind(): void {
    for (const waits of [...this.#behind.values()]) {
      for (const wait of [...waits]) this.#reopen(wait);
    }
  }

  beginRound(): void {
    for (const wait of this.#later) this.#open.insert(wait);
    this.#later.clear();
  }

  /** The next request in this round after `last`, to be blocked or removed before the next call. */
  next(last: Wait | undefined, holds: Holds): Wait | undefined {
    let first = this.#open.firstAfter(last);
    for (const lock of this.#freed) {
      for (const wait of this.#freeOf(lock, last, holds)) {
        if (first === undefined || compareTurns(wait, first) < 0) first = wait;
      }
    }
    return first;
  }

  /** After a round that changed nothing: the obstacles of all waiting requests are valid. */
  end(): void {
    this.#freed.clear();
  }

  /** The first requests after `last` that are compatible with the present holders of the lock. */
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

/** A request by the only sharer of a lock, which does not block itself. */
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
