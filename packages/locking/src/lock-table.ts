/** State and rules of the lock manager, without time and I/O: held locks and waiting requests. */
import type { LockName } from "./lock-name.js";
import type { LockOwner } from "./lock-owner.js";
import type { LockMode, LockRequest } from "./lock-request.js";
import type { LockRowChanges, LockRows } from "./lock-rows.js";

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
export interface LockTable {
  /** Grants the whole request, or lets it wait: `false`. @throws LockError */
  request(
    owner: LockOwner,
    requests: readonly LockRequest[],
    options?: { readonly priority?: number | undefined; readonly definite?: boolean | undefined },
  ): boolean;
  /** Grants the whole request, or changes nothing: `false`. @throws LockError */
  tryRequest(
    owner: LockOwner,
    requests: readonly LockRequest[],
    options?: { readonly priority?: number | undefined },
  ): boolean;
  /** Takes each wanted lock that is free, in lock order; none if fewer than `countMin` are free. */
  takeFree(
    owner: LockOwner,
    wanted: readonly { readonly lock: LockName; readonly mode: LockMode }[],
    options?: { readonly countMin?: number | undefined; readonly priority?: number | undefined },
  ): readonly LockName[];
  /** Withdraws the waiting request, if there is one, and releases the locks a definite one had obtained. */
  withdraw(owner: LockOwner): boolean;
  /**
   * Locks that are not held are skipped. Releasing or downgrading a lock that a waiting definite request has
   * already obtained withdraws that request.
   */
  release(owner: LockOwner, locks: readonly LockName[]): void;
  /** Also withdraws the owner's waiting request. */
  releaseLevel(owner: LockOwner, level: string): void;
  /** Also withdraws the owner's waiting request. */
  releaseAll(owner: LockOwner): void;
  /**
   * Releases and withdraws everything of the owners with that lease, whose worker is dead. Returns those
   * owners.
   */
  releaseLease(lease: string): readonly LockOwner[];
  /** Downgrades those of the locks that are held from exclusive to shared. */
  downgrade(owner: LockOwner, locks: readonly LockName[]): void;

  holdsOf(owner: LockOwner): ReadonlyMap<LockName, LockMode>;
  isWaiting(owner: LockOwner): boolean;
  /** The obstacles of the owner's request; `undefined` if it has none. */
  waitsFor(owner: LockOwner): WaitedFor | undefined;
  /** Whether every requested lock is held in exactly that mode, and none that was to be released. */
  isHeld(owner: LockOwner, requests: readonly LockRequest[]): boolean;
  rows(): LockRows;

  takeChanges(): LockRowChanges;
  takeGranted(): readonly LockOwner[];
}
