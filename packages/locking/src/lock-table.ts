/** State and rules of the lock manager, without time and I/O: checks requests, and grants them in order. */
import { invariant } from "@ganeti-ts/protocol";
import { Candidates, type Obstacle } from "./candidates.js";
import { Holds } from "./holds.js";
import { LockError } from "./lock-error.js";
import type { LockName } from "./lock-name.js";
import { ganetiLockOrder, type LockOrder } from "./lock-order.js";
import { type LockOwner, ownerKey } from "./lock-owner.js";
import type { LockMode, LockRequest } from "./lock-request.js";
import type { LockRowChanges, LockRows } from "./lock-rows.js";
import { Obstacles } from "./obstacles.js";
import { enough, isSatisfied, refuseDisorder, withoutRepeats } from "./request-rules.js";
import { RowLog } from "./row-log.js";
import { rowOf, type Wait, Waits, waitOf, wishesOf } from "./waits.js";

/**
 * Reasons why a request waits: `blockers` hold conflicting locks, `behind` have waited longer. For a definite
 * request these concern the lock it has reached.
 */
export interface WaitedFor {
  readonly blockers: readonly LockOwner[];
  readonly behind: readonly LockOwner[];
}

/**
 * Mutable; every method is one step after which no waiting request could be granted. `takeChanges` and
 * `takeGranted` return the changed rows and the served owners since their last call. A method that throws has
 * changed nothing.
 *
 * Cost of a step: the locks it names, and for each waiting request the holders and the waiting requests that
 * it conflicts with.
 */
export class LockTable {
  readonly #holds = new Holds();
  readonly #waits = new Waits();
  readonly #obstacles = new Obstacles(this.#holds, this.#waits);
  readonly #candidates = new Candidates();
  readonly #log: RowLog;
  readonly #order: LockOrder;
  #granted: LockOwner[] = [];

  constructor({ holds, waits }: LockRows, order: LockOrder, isLogged: boolean) {
    this.#order = order;
    this.#log = new RowLog(isLogged);
    for (const { owner, lock, mode } of holds) this.#holds.set(owner, lock, mode);
    for (const row of waits) this.#placeWait(waitOf(row));
  }

  /** Grants the whole request, or lets it wait: `false`. @throws LockError */
  request(
    owner: LockOwner,
    asked: readonly LockRequest[],
    { priority = 0, definite = false }: { priority?: number | undefined; definite?: boolean } = {},
  ): boolean {
    const key = ownerKey(owner);
    const requests = withoutRepeats(asked, this.#order);
    const pending = this.#waits.get(key);
    if (pending !== undefined) {
      if (sameRequests(pending.asked, requests)) return false;
      return this.#releaseBesidePending(owner, requests);
    }
    const held = this.#holds.modesOf(key);
    if (isSatisfied(held, requests)) return true;
    refuseDisorder(held, requests, this.#order, definite);
    const waiting = definite ? this.#startDefinite(owner, requests) : requests;
    const wishes = wishesOf(waiting);
    const place = this.#waits.placeFor(
      definite || wishes.length === 1 ? wishes[0] : undefined,
      priority,
    );
    const wait = waitOf({
      owner,
      ...place,
      asked: requests,
      requests: waiting,
      definite,
      taken: [],
    });
    if (typeof this.#serve(wait) === "object") this.#setWait(wait);
    this.#settle();
    if (this.#waits.get(key) !== undefined) return false;
    // The caller gets this result as its answer, even if it was served only while settling.
    this.#granted = this.#granted.filter((other) => ownerKey(other) !== key);
    return true;
  }

  /** Grants the whole request, or changes nothing: `false`. @throws LockError */
  tryRequest(
    owner: LockOwner,
    asked: readonly LockRequest[],
    { priority = 0 }: { readonly priority?: number | undefined } = {},
  ): boolean {
    const key = ownerKey(owner);
    const requests = withoutRepeats(asked, this.#order);
    if (this.#waits.get(key) !== undefined) return this.#releaseBesidePending(owner, requests);
    const held = this.#holds.modesOf(key);
    if (isSatisfied(held, requests)) return true;
    refuseDisorder(held, requests, this.#order);
    const place = this.#waits.placeFor(undefined, priority);
    if (this.#obstacles.first(key, wishesOf(requests), place) !== undefined) return false;
    this.#carryOut(owner, requests);
    this.#settle();
    return true;
  }

  /** Withdraws the waiting request, if there is one, and releases the locks a definite one had obtained. */
  withdraw(owner: LockOwner): boolean {
    const withdrawn = this.#withdrawOnly(ownerKey(owner));
    if (withdrawn) this.#settle();
    return withdrawn;
  }

  /**
   * Locks that are not held are skipped. Releasing or downgrading a lock that a waiting definite request has
   * already obtained withdraws that request.
   */
  release(owner: LockOwner, locks: readonly LockName[]): void {
    this.#withdrawIfServed(ownerKey(owner), locks);
    for (const lock of locks) this.#dropHold(owner, lock);
    this.#settle();
  }

  /** Also withdraws the owner's waiting request. */
  releaseLevel(owner: LockOwner, level: string): void {
    const key = ownerKey(owner);
    this.#withdrawOnly(key);
    this.release(
      owner,
      [...this.#holds.modesOf(key).keys()].filter((lock) => this.#order.levelOf(lock) === level),
    );
  }

  /** Also withdraws the owner's waiting request. */
  releaseAll(owner: LockOwner): void {
    const key = ownerKey(owner);
    this.#withdrawOnly(key);
    this.release(owner, [...this.#holds.modesOf(key).keys()]);
    const [kept] = this.#holds.modesOf(key).keys();
    invariant(kept === undefined, () => `lock ${kept}: ${key} has it after the release of all`);
  }

  /**
   * Releases and withdraws everything of the owners with that lease, whose worker is dead. Returns those
   * owners.
   */
  releaseLease(lease: string): readonly LockOwner[] {
    const all = [...this.#holds.owners(), ...[...this.#waits.ordered()].map(({ owner }) => owner)];
    const dead = new Map(
      all.filter((owner) => owner.lease === lease).map((owner) => [ownerKey(owner), owner]),
    );
    // Withdraw all of them before granting, so that dead owners get nothing.
    for (const key of dead.keys()) this.#withdrawOnly(key);
    for (const [key, owner] of dead) {
      for (const lock of [...this.#holds.modesOf(key).keys()]) this.#dropHold(owner, lock);
    }
    this.#settle();
    const kept = [...dead.keys()].find((key) => this.#holds.modesOf(key).size > 0);
    invariant(kept === undefined, () => `locks of ${kept}: held after the end of lease ${lease}`);
    return [...dead.values()];
  }

  /** Downgrades those of the locks that are held from exclusive to shared. */
  downgrade(owner: LockOwner, locks: readonly LockName[]): void {
    const held = this.#holds.modesOf(ownerKey(owner));
    const exclusive = locks.filter((lock) => held.get(lock) === "exclusive");
    this.#withdrawIfServed(ownerKey(owner), exclusive);
    // The withdrawal may have released some of them.
    for (const lock of exclusive) if (held.has(lock)) this.#setHold(owner, lock, "shared");
    this.#settle();
  }

  holdsOf(owner: LockOwner): ReadonlyMap<LockName, LockMode> {
    return new Map(this.#holds.modesOf(ownerKey(owner)));
  }

  /** The obstacles of the owner's request; `undefined` if it has none. */
  waitsFor(owner: LockOwner): WaitedFor | undefined {
    const wait = this.#waits.get(ownerKey(owner));
    if (wait === undefined) return undefined;
    const { key } = wait;
    const wishes = wishesOf(wait.definite ? wait.requests.slice(0, 1) : wait.requests);
    const blockers = wishes.flatMap(({ lock, mode }) => [...this.#holds.blockers(key, lock, mode)]);
    const behind = [...this.#obstacles.barriers(key, wishes, wait)].flat();
    return { blockers: this.#owners(blockers), behind: this.#owners(behind.map((one) => one.key)) };
  }

  isWaiting(owner: LockOwner): boolean {
    return this.#waits.get(ownerKey(owner)) !== undefined;
  }

  /** Whether every requested lock is held in exactly that mode, and none that was to be released. */
  isHeld(owner: LockOwner, requests: readonly LockRequest[]): boolean {
    return isSatisfied(this.#holds.modesOf(ownerKey(owner)), withoutRepeats(requests, this.#order));
  }

  rows(): LockRows {
    return { holds: this.#holds.rows(), waits: [...this.#waits.ordered()].map(rowOf) };
  }

  takeChanges(): LockRowChanges {
    return this.#log.take(
      (key, lock) => this.#holds.modesOf(key).get(lock),
      (key) => this.#waits.get(key),
    );
  }

  takeGranted(): readonly LockOwner[] {
    const granted = this.#granted;
    this.#granted = [];
    return granted;
  }

  /** Serves requests, queues first, until none can be served. */
  #settle(): void {
    for (let changed = true; changed; ) {
      changed = false;
      this.#candidates.beginRound();
      let wait = this.#candidates.next(undefined, this.#holds);
      while (wait !== undefined) {
        const served = this.#serve(wait);
        if (typeof served === "object") this.#candidates.hinder(wait, served);
        else changed = true;
        if (served === "all") this.#granted.push(wait.owner);
        wait = this.#candidates.next(wait, this.#holds);
      }
    }
    this.#candidates.end();
  }

  /**
   * Grants the part of the request that can be granted now: all or nothing, but for a definite request one
   * lock after the other. The rest of a definite request waits. Returns the obstacle if nothing can be
   * granted.
   */
  #serve(wait: Wait): "all" | "part" | Obstacle {
    if (!wait.definite) {
      const obstacle = this.#obstacles.first(wait.key, wishesOf(wait.requests), wait);
      if (obstacle !== undefined) return obstacle;
      this.#dropWait(wait.key);
      this.#carryOut(wait.owner, wait.requests);
      return this.#served(wait);
    }
    let current = wait;
    for (;;) {
      const [next, ...rest] = current.requests;
      if (next === undefined) {
        this.#dropWait(wait.key);
        return this.#served(wait);
      }
      const obstacle = this.#obstacles.first(wait.key, wishesOf([next]), current);
      if (obstacle !== undefined) {
        if (current === wait) return obstacle;
        this.#setWait(current);
        return "part";
      }
      const isNew = !this.#holds.modesOf(wait.key).has(next.lock);
      this.#carryOut(wait.owner, [next]);
      const taken = isNew ? [...current.taken, next.lock] : current.taken;
      const place = this.#waits.placeFor(wishesOf(rest)[0], wait.priority);
      current = waitOf({ ...rowOf(current), ...place, requests: rest, taken });
    }
  }

  /** Ends a wait; its owner must hold every lock that it asked for. */
  #served({ key, asked }: Wait): "all" {
    const held = this.#holds.modesOf(key);
    const missing = wishesOf(asked).find(({ lock, mode }) => !enough(held.get(lock), mode));
    invariant(missing === undefined, () => `lock ${missing?.lock}: ${key} is served without it`);
    return "all";
  }

  #owners(keys: Iterable<string>): LockOwner[] {
    return [...new Set(keys)].map(
      (key) => (this.#holds.ownerOf(key) ?? this.#waits.get(key)?.owner) as LockOwner,
    );
  }

  /** The locks in order, after the releases of the request. */
  #startDefinite(owner: LockOwner, requests: readonly LockRequest[]): LockRequest[] {
    for (const { lock, mode } of requests) if (mode === "release") this.#dropHold(owner, lock);
    return requests
      .filter(({ mode }) => mode !== "release")
      .sort((a, b) => this.#order.compare(a.lock, b.lock));
  }

  /** While a request waits, locks may still be released. */
  #releaseBesidePending(owner: LockOwner, requests: readonly LockRequest[]): boolean {
    if (requests.some(({ mode }) => mode !== "release")) throw pendingError();
    this.release(
      owner,
      requests.map(({ lock }) => lock),
    );
    return true;
  }

  #carryOut(owner: LockOwner, requests: readonly LockRequest[]): void {
    for (const { lock, mode } of requests) {
      if (mode === "release") this.#dropHold(owner, lock);
      else this.#setHold(owner, lock, mode);
    }
  }

  /** An owner who releases locks of its waiting definite request no longer waits for the rest. */
  #withdrawIfServed(key: string, locks: readonly LockName[]): void {
    const wait = this.#waits.get(key);
    if (!wait?.definite) return;
    const held = this.#holds.modesOf(key);
    const served = wishesOf(wait.asked).filter(
      (wish) => held.has(wish.lock) && !wait.requests.some(({ lock }) => lock === wish.lock),
    );
    if (served.some(({ lock }) => locks.includes(lock))) this.#withdrawOnly(key);
  }

  #withdrawOnly(key: string): boolean {
    const wait = this.#waits.get(key);
    if (wait === undefined) return false;
    this.#dropWait(key);
    for (const lock of wait.taken) this.#dropHold(wait.owner, lock);
    return true;
  }

  #setHold(owner: LockOwner, lock: LockName, mode: LockMode): void {
    const key = ownerKey(owner);
    const before = this.#holds.modesOf(key).get(lock);
    this.#holds.set(owner, lock, mode);
    this.#log.hold(owner, lock);
    if (before === "exclusive" && mode === "shared") this.#candidates.free(lock);
    this.#obstacles.note(key);
  }

  #dropHold(owner: LockOwner, lock: LockName): void {
    const key = ownerKey(owner);
    this.#holds.delete(key, lock);
    this.#log.hold(owner, lock);
    this.#candidates.free(lock);
    this.#obstacles.note(key);
  }

  #setWait(wait: Wait): void {
    this.#placeWait(wait);
    this.#log.wait(wait.owner);
  }

  #placeWait(wait: Wait): void {
    const before = this.#waits.get(wait.key);
    if (before !== undefined) this.#candidates.remove(before);
    this.#waits.set(wait);
    this.#candidates.add(wait);
    this.#obstacles.note(wait.key);
    // A request in front may now wait for one behind, which then passes.
    if (this.#obstacles.mayTurn) this.#candidates.reopenBehind();
  }

  #dropWait(key: string): void {
    const wait = this.#waits.get(key);
    if (wait === undefined) return;
    this.#waits.delete(key);
    this.#candidates.remove(wait);
    this.#log.wait(wait.owner);
    this.#obstacles.note(key);
  }
}

function sameRequests(a: readonly LockRequest[], b: readonly LockRequest[]): boolean {
  const modes = new Map(a.map(({ lock, mode }) => [lock, mode]));
  return a.length === b.length && b.every(({ lock, mode }) => modes.get(lock) === mode);
}

function pendingError(): LockError {
  return new LockError("wrong_state", "cannot update locks while having pending requests");
}

/** The table of these rows, or an empty one; locks are taken in the order of Ganeti's levels unless another is given. */
export const lockTable = (
  rows: LockRows = { holds: [], waits: [] },
  order: LockOrder = ganetiLockOrder,
): LockTable => new LockTable(rows, order, true);

/** An empty table that is not stored: `takeChanges` returns no rows. */
export const unloggedLockTable = (order: LockOrder = ganetiLockOrder): LockTable =>
  new LockTable({ holds: [], waits: [] }, order, false);
