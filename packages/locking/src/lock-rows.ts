/** State of the manager as rows of plain JSON values, for stores. */
import type { LockName } from "./lock-name.js";
import type { LockOwner } from "./lock-owner.js";
import type { LockMode, LockRequest } from "./lock-request.js";

/** One lock held by one owner; (owner, lock) is unique. */
export interface HoldRow {
  readonly owner: LockOwner;
  readonly lock: LockName;
  readonly mode: LockMode;
}

/** The only pending request of an owner. */
export interface WaitRow {
  readonly owner: LockOwner;
  /** Lower numbers are served first. */
  readonly priority: number;
  /** Order of arrival, unique. */
  readonly arrival: number;
  /** Arrival of the queue entry: less than `arrival` for a request that joined a shared entry. */
  readonly place: number;
  /** The whole original request. */
  readonly asked: readonly LockRequest[];
  /** The remaining part: for a definite request the locks not held yet, in lock order. */
  readonly requests: readonly LockRequest[];
  /** Acquires one lock after the other, without a time limit. */
  readonly definite: boolean;
  /** Locks that this definite request has obtained so far; released when it is withdrawn. */
  readonly taken: readonly LockName[];
}

/** State of a lock table: what is held, and what is waited for. */
export interface LockRows {
  readonly holds: readonly HoldRow[];
  readonly waits: readonly WaitRow[];
}

/** Changes of rows by a step: each changed row once, in its present state. */
export interface LockRowChanges {
  readonly holdsSet: readonly HoldRow[];
  readonly holdsGone: readonly { readonly owner: LockOwner; readonly lock: LockName }[];
  readonly waitsSet: readonly WaitRow[];
  readonly waitsGone: readonly LockOwner[];
}
