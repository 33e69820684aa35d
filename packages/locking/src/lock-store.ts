/** Where the lock table lives: in memory, or in the rows of a database that several workers share. */
import type { LockOwner } from "./lock-owner.js";
import type { LockTable } from "./lock-table.js";

/** The port behind a `LockManager`. */
export interface LockStore {
  /**
   * Runs `change` on the table, alone, and keeps what it did before answering. In a database: one
   * transaction that reads the rows into a table, writes the table's `takeChanges()` and tells the
   * owners in its `takeGranted()`. An error of `change` leaves everything as it was. In memory the
   * change has happened when this returns, so that a promise is only needed where it must be.
   */
  change<Answer>(change: (table: LockTable) => Answer): Answer | Promise<Answer>;

  /**
   * `listener` is told each owner whose waiting request has been granted, by a change made here or
   * elsewhere, after that change is kept; telling one twice, or late, does no harm. Stops by the answer.
   */
  onGranted(listener: (owner: LockOwner) => void): () => void;
}
