/** Records of logins and of actions that are no jobs, in a SQLite file, for one process. */
import {
  type AccessBounds,
  type AccessRecord,
  type AccessStore,
  accessKept,
  endedSessionsMax,
  type StoredAccess,
  storable,
} from "@ganeti-ts/job-queue";
import Database from "libsql";
import { migrateTables } from "./migrate-tables.js";
import { Writer } from "./writer.js";

/** Statements per version: version n is the result of the first n lists. */
const migrations: readonly (readonly string[])[] = [
  [
    `CREATE TABLE access_record (
       id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, user TEXT, address TEXT,
       action TEXT NOT NULL, object TEXT NOT NULL, done INTEGER NOT NULL, text TEXT NOT NULL
     )`,
    "CREATE INDEX access_record_action ON access_record (action, id)",
    "CREATE TABLE ended_session (session TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE INDEX ended_session_until ON ended_session (until)",
  ],
];

const statements = {
  add: `INSERT INTO access_record (at, user, address, action, object, done, text)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  removeOld: `DELETE FROM access_record WHERE action = ?1 AND id <=
     (SELECT id FROM access_record WHERE action = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)`,
  endSession: `INSERT INTO ended_session (session, until) VALUES (?, ?)
     ON CONFLICT (session) DO UPDATE SET until = excluded.until`,
  removePast: "DELETE FROM ended_session WHERE until <= ?",
  removeSurplus: `DELETE FROM ended_session WHERE until <=
     (SELECT until FROM ended_session ORDER BY until DESC LIMIT 1 OFFSET ?)`,
};

/** Maximum time (ms) to wait for another connection that writes to the file. */
const turnMs = 10_000;

/**
 * Opens the records in the file, which may also contain the job queue; both are created if missing. A record is on
 * disk when it is acknowledged.
 * @throws Error if a newer program created them
 */
export function openSqliteAccessStore(path: string, bounds: AccessBounds = {}): AccessStore {
  const database = new Database(path, { timeout: turnMs });
  database.pragma("journal_mode = WAL");
  migrateTables(database, {
    versionTable: "access_version",
    content: "access records",
    steps: migrations,
  });
  const pragmas = ["synchronous = NORMAL"];
  const writer = new Writer({ path, pragmas, statements, isSynced: true });
  return new SqliteAccessStore(database, writer, bounds);
}

interface Row extends Omit<StoredAccess, "done"> {
  readonly done: number;
}

class SqliteAccessStore implements AccessStore {
  readonly #database: Database.Database;
  readonly #writer: Writer;
  readonly #bounds: Required<AccessBounds>;
  readonly #latest;
  readonly #ended;
  #isClosed = false;

  constructor(database: Database.Database, writer: Writer, bounds: AccessBounds) {
    this.#database = database;
    this.#writer = writer;
    this.#bounds = { kept: accessKept, sessionsMax: endedSessionsMax, ...bounds };
    this.#latest = database.prepare(
      "SELECT * FROM access_record WHERE id < ? ORDER BY id DESC LIMIT ?",
    );
    this.#ended = database.prepare("SELECT 1 FROM ended_session WHERE session = ?");
  }

  async add(record: AccessRecord): Promise<void> {
    const { at, user, address, action, object, done, text } = storable(record);
    await this.#writer.write([
      ["add", [at, user, address, action, object, done ? 1 : 0, text]],
      ["removeOld", [action, this.#bounds.kept]],
    ]);
  }

  async latest(
    count: number,
    before: number = Number.MAX_SAFE_INTEGER,
  ): Promise<readonly StoredAccess[]> {
    const rows = this.#latest.all(before, count) as Row[];
    return rows.map((row) => ({ ...row, done: row.done === 1 }));
  }

  async endSession(
    session: string,
    { now, until }: { readonly now: number; readonly until: number },
  ): Promise<void> {
    await this.#writer.write([
      ["removePast", [now]],
      ["endSession", [session, until]],
      ["removeSurplus", [this.#bounds.sessionsMax]],
    ]);
  }

  async isEnded(session: string): Promise<boolean> {
    return this.#ended.get(session) !== undefined;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#writer.close();
    this.#database.close();
  }
}
