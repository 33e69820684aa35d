/** Request of an owner to the manager. */
import type { LockName } from "./lock-name.js";

/** Shared locks have any number of holders, an exclusive lock has one. */
export type LockMode = "shared" | "exclusive";

/** `shared` on a lock held exclusively downgrades it; `release` is always granted. */
export interface LockRequest {
  readonly lock: LockName;
  readonly mode: LockMode | "release";
}
