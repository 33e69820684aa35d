/** The whole state of the manager as rows: what a store keeps, plain JSON values throughout. */
import type { LockName } from "./lock-name.js";
import type { LockOwner } from "./lock-owner.js";
import type { LockMode, LockRequest } from "./lock-request.js";

/** One lock held by one owner; (owner, lock) is unique. */
export interface HoldRow {
  readonly owner: LockOwner;
  readonly lock: LockName;
  readonly mode: LockMode;
}

/** The one request that an owner waits with. */
export interface WaitRow {
  readonly owner: LockOwner;
  /** Lower is sooner. */
  readonly priority: number;
  /** Order of arrival, unique. */
  readonly arrival: number;
  /** Arrival of the entry waited in: smaller than `arrival` for who joined a shared entry. */
  readonly place: number;
  /** The whole request as it was made. */
  readonly asked: readonly LockRequest[];
  /** What is still asked for: of a definite request the locks not held yet, in lock order. */
  readonly requests: readonly LockRequest[];
  /** One lock after the other, without a limit of time. */
  readonly definite: boolean;
  /** Locks that this definite request has obtained so far; given back when it is withdrawn. */
  readonly taken: readonly LockName[];
}

/** State of a lock table: what is held, and what is waited for. */
export interface LockRows {
  readonly holds: readonly HoldRow[];
  readonly waits: readonly WaitRow[];
}

/** What a change did to the rows: each row named once, as it is now. */
export interface LockRowChanges {
  readonly holdsSet: readonly HoldRow[];
  readonly holdsGone: readonly { readonly owner: LockOwner; readonly lock: LockName }[];
  readonly waitsSet: readonly WaitRow[];
  readonly waitsGone: readonly LockOwner[];
}
