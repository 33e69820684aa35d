/** The manager's state and rules, without time and without I/O: who holds what, who waits for whom. */
import type { LockLevel, LockName } from "./lock-name.js";
import type { LockOwner } from "./lock-owner.js";
import type { LockMode, LockRequest } from "./lock-request.js";
import type { LockRowChanges, LockRows } from "./lock-rows.js";

/** All is held now, or the request waits (or would wait) for `blockers`. */
export type LockAnswer =
  | { readonly granted: true }
  | { readonly granted: false; readonly blockers: readonly LockOwner[] };

/**
 * Changes in place; every method is one step after which no waiting request could be granted.
 * `takeChanges` and `takeGranted` tell what the steps since they were last asked did to the rows,
 * and which waiting owners they served. A method that throws has changed nothing.
 */
export interface LockTable {
  /** Grants the request whole or lets it wait. @throws LockError */
  request(
    owner: LockOwner,
    requests: readonly LockRequest[],
    options?: { readonly priority?: number; readonly definite?: boolean },
  ): LockAnswer;
  /** Grants the request whole or changes nothing. @throws LockError */
  tryRequest(owner: LockOwner, requests: readonly LockRequest[]): LockAnswer;
  /** Each wanted lock that is free now, in lock order; none if they are fewer than `countMin`. */
  takeFree(
    owner: LockOwner,
    wanted: readonly { readonly lock: LockName; readonly mode: LockMode }[],
    countMin?: number,
  ): readonly LockName[];
  /** Takes back the waiting request, if there is one. */
  withdraw(owner: LockOwner): boolean;
  release(owner: LockOwner, locks: readonly LockName[]): void;
  /** Also withdraws what the owner waits for. */
  releaseLevel(owner: LockOwner, level: LockLevel): void;
  /** Also withdraws what the owner waits for. */
  releaseAll(owner: LockOwner): void;
  /** Frees and withdraws for every owner of that lease: its worker is dead. Names those owners. */
  releaseLease(lease: string): readonly LockOwner[];
  /** Exclusive to shared, for those of the locks that are held. */
  downgrade(owner: LockOwner, locks: readonly LockName[]): void;

  holdsOf(owner: LockOwner): ReadonlyMap<LockName, LockMode>;
  isWaiting(owner: LockOwner): boolean;
  rows(): LockRows;

  takeChanges(): LockRowChanges;
  takeGranted(): readonly LockOwner[];
}
