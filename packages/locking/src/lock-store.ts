/** Where the lock table lives: in memory, or in the rows of a database that several workers share. */
import type { LockOrder } from "./lock-order.js";
import type { LockOwner } from "./lock-owner.js";
import type { LockTable } from "./lock-table.js";
import { lockTable } from "./ruled-table.js";

/** The port behind a `LockManager`. */
export interface LockStore {
  /**
   * Runs `change` on the table, alone, and keeps what it did before answering. In a database: one
   * transaction that reads the rows into a table (`lockTable(rows)`), runs the change, writes the
   * table's `takeChanges()` and tells the owners in its `takeGranted()`. An error of `change` comes
   * before it has done anything. In memory the change has happened when this returns, so that a
   * promise is only given where it must be.
   */
  change<Answer>(change: (table: LockTable) => Answer): Answer | Promise<Answer>;

  /**
   * `listener` is told each owner whose waiting request has been granted, by a change made here or
   * elsewhere, after that change is kept; telling one twice, or late, does no harm. Stops by the answer.
   */
  onGranted(listener: (owner: LockOwner) => void): () => void;

  /**
   * How often a manager looks after its waiting requests itself, because others use the same rows
   * and what they tell may get lost. Absent: never.
   */
  readonly pollMs?: number | undefined;
}

/** A table in memory, for one process. */
export function memoryLockStore(order?: LockOrder): LockStore {
  const table = lockTable(undefined, order);
  const listeners = new Set<(owner: LockOwner) => void>();
  return {
    change(change) {
      const answer = change(table);
      table.takeChanges();
      for (const owner of table.takeGranted()) for (const listener of listeners) listener(owner);
      return answer;
    },
    onGranted(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
