/** Configuration store in one SQLite file, for one process: a row for each object. */
import type {
  Commit,
  CommitOutcome,
  ConfigRow,
  ConfigStore,
  StoredConfiguration,
} from "@ganeti-ts/config";
import Database from "libsql";
import { migrateConfig } from "./config-schema.js";
import { LogSync } from "./log-sync.js";
import { otherWork } from "./other-work.js";
import { type Ownership, takeOwnership } from "./ownership.js";

/**
 * Opens the configuration in the file, which may also contain the job queue; both are created if missing. A
 * commit is one transaction in write-ahead mode, on disk when it is acknowledged. @throws Error if another
 * process has the file open, or a newer program created it
 */
export function openSqliteConfigStore(path: string): ConfigStore {
  const ownership = takeOwnership(`${path}.config`);
  try {
    const database = new Database(path);
    database.pragma("journal_mode = WAL");
    // LogSync waits for the disk, in parallel with other work; the commit itself does not.
    database.pragma("synchronous = NORMAL");
    migrateConfig(database);
    return new SqliteConfigStore(database, ownership, new LogSync(path));
  } catch (error) {
    ownership.release();
    throw error;
  }
}

class SqliteConfigStore implements ConfigStore {
  readonly shared = false;
  readonly #database: Database.Database;
  readonly #ownership: Ownership;
  readonly #log: LogSync;
  readonly #sql;
  #serial: number;
  /** Rows of the last commit, with the serial it was based on. */
  #latest: { readonly upon: number; readonly rows: readonly ConfigRow[] } | undefined;
  #isClosed = false;

  constructor(database: Database.Database, ownership: Ownership, log: LogSync) {
    this.#database = database;
    this.#log = log;
    this.#ownership = ownership;
    const prepare = (text: string) => database.prepare(text);
    this.#sql = {
      begin: prepare("BEGIN IMMEDIATE"),
      commit: prepare("COMMIT"),
      rollback: prepare("ROLLBACK"),
      serial: prepare("UPDATE config SET serial = ?"),
      put: prepare(
        `INSERT INTO config_object (type, uuid, serial, document) VALUES (?, ?, ?, ?)
         ON CONFLICT (type, uuid) DO UPDATE SET serial = excluded.serial, document = excluded.document`,
      ),
      remove: prepare("DELETE FROM config_object WHERE type = ? AND uuid = ?"),
      all: prepare("SELECT type, uuid, serial, document FROM config_object"),
    };
    const row = prepare("SELECT serial FROM config").get() as { serial: number };
    this.#serial = row.serial;
  }

  async load(): Promise<StoredConfiguration> {
    return { serial: this.#serial, rows: this.#sql.all.all() as ConfigRow[] };
  }

  gathering(): Promise<void> {
    return otherWork();
  }

  async commit({ expectedSerial, serial, rows }: Commit): Promise<CommitOutcome> {
    if (this.#isClosed) throw new Error("the store has been closed");
    if (this.#log.failure !== undefined) throw this.#log.failure;
    if (expectedSerial !== this.#serial) return "conflict";
    const sql = this.#sql;
    sql.begin.run();
    try {
      for (const { type, uuid, serial: by, document } of rows) {
        if (document === null) sql.remove.run(type, uuid);
        else sql.put.run(type, uuid, by, document);
      }
      sql.serial.run(serial);
      sql.commit.run();
    } catch (error) {
      if (this.#database.inTransaction) sql.rollback.run();
      throw error;
    }
    this.#serial = serial;
    this.#latest = { upon: expectedSerial, rows };
    this.#log.committed();
    await this.#log.synced();
    return "done";
  }

  /** There is no other writer: only the commit being acknowledged can be unknown. */
  async changesSince(serial: number): Promise<StoredConfiguration | "too old"> {
    await this.#log.synced();
    if (serial >= this.#serial) return { serial: this.#serial, rows: [] };
    if (serial !== this.#latest?.upon) return "too old";
    return { serial: this.#serial, rows: this.#latest.rows };
  }

  onNews(): void {}

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#log.close();
    this.#database.close();
    this.#ownership.release();
  }
}
