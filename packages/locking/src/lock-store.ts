/** Port to a lock table, in memory or in the rows of a database shared by several workers. */
import type { LockOrder } from "./lock-order.js";
import type { LockOwner } from "./lock-owner.js";
import { type LockTable, unloggedLockTable } from "./lock-table.js";

/** The port behind a `LockManager`. */
export interface LockStore {
  /**
   * Runs `change` on the table, exclusively, and stores its effects before answering. In a database: one
   * transaction that reads the rows into a table (`lockTable(rows)`), runs the change, writes the table's
   * `takeChanges()` and notifies the owners in its `takeGranted()`. An error of `change` occurs before it has
   * any effect. In memory the change is complete when this returns, so that a promise is only returned if
   * necessary.
   */
  change<Answer>(change: (table: LockTable) => Answer): Answer | Promise<Answer>;

  /**
   * `listener` is called with each owner whose waiting request has been granted, by a change made here or
   * elsewhere, after that change is stored; repeated or late calls are harmless. The returned function stops
   * the calls.
   */
  onGranted(listener: (owner: LockOwner) => void): () => void;

  /**
   * Interval (ms) at which a manager checks its waiting requests itself, because other processes use the same
   * rows and their notifications may get lost. Absent: never.
   */
  readonly pollMs?: number | undefined;
}

/** A lock table in memory, for one process. */
export function memoryLockStore(order?: LockOrder): LockStore {
  const table = unloggedLockTable(order);
  const listeners = new Set<(owner: LockOwner) => void>();
  return {
    change(change) {
      const answer = change(table);
      for (const owner of table.takeGranted()) for (const listener of listeners) listener(owner);
      return answer;
    },
    onGranted(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
