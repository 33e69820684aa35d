/** Lock manager of a cluster: held locks and waiting requests. */

// The manager, used by opcodes.

export { createLockManager, type LockManager } from "./lock-manager.js";
export { type LockOwner, ownerKey } from "./lock-owner.js";
export type { LockMode, LockRequest } from "./lock-request.js";
export { type LockRow, lockRows } from "./monitor.js";

// Timeouts of attempts.

export { type AttemptTimeouts, ganetiTimeouts, nextAttempt } from "./attempts.js";

// Names and their order.

export {
  bigLock,
  compareLocks,
  groupLockName,
  groupLockOf,
  isGroupLock,
  type LockName,
  lockLevels,
  lockName,
} from "./lock-name.js";

export { ganetiLockOrder, type LockOrder, lockOrder } from "./lock-order.js";

// Storage of the manager's state.

export type { LockRowChanges, LockRows, WaitRow } from "./lock-rows.js";
export { type LockStore, memoryLockStore } from "./lock-store.js";
export { type LockTable, lockTable } from "./lock-table.js";

// Errors.

export { LockError } from "./lock-error.js";
