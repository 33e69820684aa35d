/** Configuration store in one SQLite file, for one process: a row for each object. */
import type {
  Commit,
  CommitOutcome,
  ConfigRow,
  ConfigStore,
  LoadedConfiguration,
  StoredConfiguration,
} from "@ganeti-ts/config";
import Database from "libsql";
import { migrateConfig } from "./config-schema.js";
import { otherWork } from "./other-work.js";
import { type Ownership, takeOwnership } from "./ownership.js";
import { type Write, Writer } from "./writer.js";

/**
 * Opens the configuration in the file, which may also contain the job queue; both are created if missing. A
 * commit is one transaction in write-ahead mode, written by a thread and on disk when it is acknowledged.
 * @throws Error if another process has the file open, or a newer program created it
 */
export function openSqliteConfigStore(path: string): ConfigStore {
  const ownership = takeOwnership(`${path}.config`);
  try {
    const database = new Database(path, { timeout: turnMs });
    database.pragma("journal_mode = WAL");
    migrateConfig(database);
    const pragmas = ["synchronous = NORMAL"];
    const writer = new Writer({ path, pragmas, statements, isSynced: true });
    return new SqliteConfigStore(database, { ownership, writer });
  } catch (error) {
    ownership.release();
    throw error;
  }
}

/** Maximum time (ms) to wait for another connection that writes to the file. */
const turnMs = 10_000;

const statements = {
  serial: "UPDATE config SET serial = ?",
  put: `INSERT INTO config_object (type, uuid, serial, document) VALUES (?, ?, ?, ?)
     ON CONFLICT (type, uuid) DO UPDATE SET serial = excluded.serial, document = excluded.document`,
  remove: "DELETE FROM config_object WHERE type = ? AND uuid = ?",
};

/** Parts of a store. */
interface StoreParts {
  readonly ownership: Ownership;
  readonly writer: Writer;
}

class SqliteConfigStore implements ConfigStore {
  readonly shared = false;
  readonly #database: Database.Database;
  readonly #ownership: Ownership;
  readonly #writer: Writer;
  #serial: number;
  /** Rows of the last commit, with the serial it was based on. */
  #latest: { readonly upon: number; readonly rows: readonly ConfigRow[] } | undefined;
  /** Ends with the commits made so far. */
  #commits: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(database: Database.Database, { ownership, writer }: StoreParts) {
    this.#database = database;
    this.#writer = writer;
    this.#ownership = ownership;
    const row = database.prepare("SELECT serial FROM config").get() as { serial: number };
    this.#serial = row.serial;
  }

  async load(): Promise<LoadedConfiguration> {
    await this.#commits;
    return { serial: this.#serial, rows: allRows(this.#database) };
  }

  gathering(): Promise<void> {
    return otherWork();
  }

  async commit(commit: Commit): Promise<CommitOutcome> {
    if (this.#isClosed) throw new Error("the store has been closed");
    const outcome = this.#commits.then(() => this.#commit(commit));
    this.#commits = outcome.catch(() => {});
    return outcome;
  }

  async #commit({ expectedSerial, serial, rows }: Commit): Promise<CommitOutcome> {
    if (this.#writer.failure !== undefined) throw this.#writer.failure;
    if (expectedSerial !== this.#serial) return "conflict";
    await this.#writer.write([
      ...rows.map(
        ({ type, uuid, serial: by, document }): Write =>
          document === null ? ["remove", [type, uuid]] : ["put", [type, uuid, by, document]],
      ),
      ["serial", [serial]],
    ]);
    this.#serial = serial;
    this.#latest = { upon: expectedSerial, rows };
    return "done";
  }

  /** There is no other writer: only the commit being acknowledged can be unknown. */
  async changesSince(serial: number): Promise<StoredConfiguration | "too old"> {
    await this.#commits;
    if (this.#writer.failure !== undefined) throw this.#writer.failure;
    if (serial >= this.#serial) return { serial: this.#serial, rows: [] };
    if (serial !== this.#latest?.upon) return "too old";
    return { serial: this.#serial, rows: this.#latest.rows };
  }

  onNews(): void {}

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#commits;
    await this.#writer.close();
    this.#database.close();
    this.#ownership.release();
  }
}

function* allRows(database: Database.Database): Generator<ConfigRow> {
  const all = database.prepare("SELECT type, uuid, serial, document FROM config_object");
  type Values = [ConfigRow["type"], uuid: string, serial: number, document: string];
  // Arrays come a fifth sooner than objects.
  for (const values of all.raw().iterate() as Iterable<Values>) {
    const [type, uuid, serial, document] = values;
    yield { type, uuid, serial, document };
  }
}
