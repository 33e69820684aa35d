/** What an owner asks of the manager. */
import type { LockName } from "./lock-name.js";

/** Shared locks have any number of holders, an exclusive lock has one. */
export type LockMode = "shared" | "exclusive";

/** `shared` on a lock held exclusively gives part of it back; `release` is granted whatever is held. */
export interface LockRequest {
  readonly lock: LockName;
  readonly mode: LockMode | "release";
}
