/** One process owns a queue file: a second one is told so, and the death of the first frees it. */
import Database from "libsql";

export interface Ownership {
  release(): void;
}

/**
 * Holds a lock on `<path>.lock`, a file of its own: SQLite's locks end with the process, whatever
 * ends it, and the connection to the queue itself stays an ordinary one.
 * @throws Error if another process holds it.
 */
export function takeOwnership(path: string): Ownership {
  const lock = new Database(`${path}.lock`, { timeout: 0 });
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    if ((error as { code?: string }).code !== "SQLITE_BUSY") throw error;
    throw new Error(`${path} is in use by another process`, { cause: error });
  }
  return {
    release() {
      lock.exec("ROLLBACK");
      lock.close();
    },
  };
}
