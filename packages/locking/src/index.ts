/** Who holds which lock, and who waits for whom. */

// The manager: what opcodes use.

export type { CancelSignal, Clock } from "./clock.js";
export { systemClock } from "./clock.js";
export type { AcquireOptions, LockManager } from "./lock-manager.js";
export type { LockOwner } from "./lock-owner.js";
export { ownerKey, ownerText } from "./lock-owner.js";
export type { LockMode, LockRequest } from "./lock-request.js";
export type { LockRow } from "./monitor.js";

// Names and their order.

export {
  bigLock,
  compareLocks,
  configLock,
  groupLockName,
  groupLockOf,
  type LockLevel,
  type LockName,
  levelOf,
  lockLevels,
  lockName,
} from "./lock-name.js";

// Where the state lives.

export type { HoldRow, LockRowChanges, LockRows, WaitRow } from "./lock-rows.js";
export type { LockStore } from "./lock-store.js";
export type { LockAnswer, LockTable } from "./lock-table.js";

// Refusals.

export { LockError, type LockErrorCode } from "./lock-error.js";
