/** Waits for the disk outside of the event loop. */
import fs from "node:fs";

/**
 * Brings the log of changes of a SQLite file to the disk, in a thread: with `synchronous=FULL` the whole process waits
 * within each commit, with `NORMAL` and this only the callers that need the commit. Commits made during a sync share the next one.
 */
export class LogSync {
  readonly #path: string;
  #file: number | undefined;
  /** Whether there are commits that no sync has begun after. */
  #isBehind = false;
  #running: Promise<void> | undefined;
  /** Begins when `#running` has ended. */
  #next: Promise<void> | undefined;
  #failure: Error | undefined;

  /** @param database path of the file whose log it is */
  constructor(database: string) {
    this.#path = `${database}-wal`;
  }

  /** To be called after each commit. */
  committed(): void {
    this.#isBehind = true;
  }

  /** Error of the first failed sync. The kernel may have dropped the data without failing again, so all later syncs are refused. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Resolves when all commits are on disk; at once if they are. @throws Error of this or an earlier sync */
  async synced(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    if (!this.#isBehind) return this.#running;
    if (this.#running === undefined) return this.#sync();
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      return this.#sync();
    });
    return this.#next;
  }

  /** Waits for syncs under way. */
  async close(): Promise<void> {
    await (this.#next ?? this.#running)?.catch(() => undefined);
    if (this.#file !== undefined) fs.closeSync(this.#file);
    this.#file = undefined;
  }

  #sync(): Promise<void> {
    this.#isBehind = false;
    // SQLite keeps the same log while the database is open. Closing a second descriptor of the database itself
    // would release its locks; the log has none.
    this.#file ??= fs.openSync(this.#path, "r");
    const file = this.#file;
    const running = new Promise<void>((resolve, reject) => {
      fs.fdatasync(file, (error) => {
        this.#running = undefined;
        if (error === null) return resolve();
        this.#failure = new Error(`${this.#path}: ${error.message}`, { cause: error });
        reject(this.#failure);
      });
    });
    this.#running = running;
    return running;
  }
}
