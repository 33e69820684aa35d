/** The manager's state and rules, without time and without I/O: who holds what, who waits for whom. */
import type { LockName } from "./lock-name.js";
import type { LockOwner } from "./lock-owner.js";
import type { LockMode, LockRequest } from "./lock-request.js";
import type { LockRowChanges, LockRows } from "./lock-rows.js";

/**
 * Why a request waits: `blockers` hold what is in the way, `behind` have been waiting longer for it.
 * Of a definite request these concern the lock it has come to.
 */
export interface WaitedFor {
  readonly blockers: readonly LockOwner[];
  readonly behind: readonly LockOwner[];
}

/**
 * Changes in place; every method is one step after which no waiting request could be granted.
 * `takeChanges` and `takeGranted` tell what the steps since they were last asked did to the rows,
 * and which waiting owners they served. A method that throws has changed nothing.
 *
 * Cost of a step: the locks it names, and for each waiting request the holders and the waiting
 * requests that it conflicts with.
 */
export interface LockTable {
  /** Grants the request whole, or lets it wait: `false`. @throws LockError */
  request(
    owner: LockOwner,
    requests: readonly LockRequest[],
    options?: { readonly priority?: number | undefined; readonly definite?: boolean | undefined },
  ): boolean;
  /** Grants the request whole, or changes nothing: `false`. @throws LockError */
  tryRequest(
    owner: LockOwner,
    requests: readonly LockRequest[],
    options?: { readonly priority?: number | undefined },
  ): boolean;
  /** Each wanted lock that is free now, in lock order; none if they are fewer than `countMin`. */
  takeFree(
    owner: LockOwner,
    wanted: readonly { readonly lock: LockName; readonly mode: LockMode }[],
    options?: { readonly countMin?: number | undefined; readonly priority?: number | undefined },
  ): readonly LockName[];
  /** Takes back the waiting request, if there is one, and what a definite one had obtained. */
  withdraw(owner: LockOwner): boolean;
  /**
   * Locks that are not held are passed over. Giving back what a waiting definite request has already
   * obtained withdraws that request; so does downgrading it.
   */
  release(owner: LockOwner, locks: readonly LockName[]): void;
  /** Also withdraws what the owner waits for. */
  releaseLevel(owner: LockOwner, level: string): void;
  /** Also withdraws what the owner waits for. */
  releaseAll(owner: LockOwner): void;
  /** Frees and withdraws for every owner of that lease: its worker is dead. Names those owners. */
  releaseLease(lease: string): readonly LockOwner[];
  /** Exclusive to shared, for those of the locks that are held. */
  downgrade(owner: LockOwner, locks: readonly LockName[]): void;

  holdsOf(owner: LockOwner): ReadonlyMap<LockName, LockMode>;
  isWaiting(owner: LockOwner): boolean;
  /** What the owner's request waits for; `undefined` if it has none. */
  waitsFor(owner: LockOwner): WaitedFor | undefined;
  /** Whether every lock asked for is held in just that mode, and none that was given back. */
  isHeld(owner: LockOwner, requests: readonly LockRequest[]): boolean;
  rows(): LockRows;

  takeChanges(): LockRowChanges;
  takeGranted(): readonly LockOwner[];
}
