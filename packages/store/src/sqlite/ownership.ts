/** Ownership of a queue file: a second process is refused, and the death of the first releases the file. */
import Database from "libsql";

/** Exclusive use of a queue file by this process. */
export interface Ownership {
  release(): void;
}

/**
 * Holds a lock on the separate file `<path>.lock`: SQLite's locks end with the process, however it ends, and
 * the connection to the queue itself stays an ordinary one. @throws Error if another process holds it
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
