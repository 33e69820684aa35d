/** State of simulated nodes in one SQLite file, for one process or for several on one machine. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type NodeStates,
  NodeStatesError,
  parsedStates,
  SavedTexts,
} from "@ganeti-ts/simulated-nodes";
import Database from "libsql";
import { takeOverJournal } from "./node-journal.js";
import { otherWork } from "./other-work.js";

/** Options of `openSqliteNodeStates`. */
export interface SqliteNodeStatesOptions {
  /** Whether several processes of this machine simulate the same nodes. Default: false. */
  readonly shared?: boolean;
}

/** Durable states of simulated nodes, to be closed at the end. */
export interface StoredNodeStates extends NodeStates {
  close(): Promise<void>;
}

/**
 * Maximum time (ms) a process waits for its turn before the call fails; a turn takes no longer than a call.
 */
const turnMs = 10_000;

/** Only a checkpoint waits for the disk. A whole host with 100 instances takes 100 KiB. */
const pagesBetweenCheckpoints = 8192;

/**
 * Opens the file, which is created with its folder if missing. A saved state survives the process, however it
 * ends; a crash of the machine may lose the last ones. A call costs the parts of hosts that it changes, with `shared`
 * these hosts and those that others have changed. Without `shared`, calls of a few turns of the event loop share
 * one transaction.
 *
 * A `nodes.journal` in the same folder, written by earlier versions, is imported and removed.
 */
export function openSqliteNodeStates(
  path: string,
  { shared = false }: SqliteNodeStatesOptions = {},
): StoredNodeStates {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Nodes have keys and passwords. SQLite creates its other files with the same mode.
  writeFileSync(path, "", { flag: "a", mode: 0o600 });
  const database = new Database(path, { timeout: turnMs });
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = NORMAL");
  database.pragma(`wal_autocheckpoint = ${pagesBetweenCheckpoints}`);
  migrate(database);
  takeOverJournal(join(dirname(path), "nodes.journal"), database);
  const file = new NodeFile(database, shared);
  const states: StoredNodeStates = {
    load: () => file.load(),
    save: (changed) => file.save(changed),
    close: async () => file.close(),
  };
  if (!shared) return { ...states, hasParts: true };
  return { ...states, alone: (adopt, act) => file.turn(adopt, act) };
}

/** Throws if a newer program created it. */
function migrate(database: Database.Database): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    const { user_version: version } = database.prepare("PRAGMA user_version").get() as {
      user_version: number;
    };
    if (version > 2) throw new Error(`Found node state version ${version}, expected 2`);
    if (version === 0) {
      database.exec(
        "CREATE TABLE node_state (name TEXT PRIMARY KEY, serial INTEGER NOT NULL, content TEXT NOT NULL)",
      );
      database.exec("CREATE INDEX node_state_serial ON node_state (serial)");
    }
    // Version 1 has whole hosts only.
    if (version < 2) database.exec("PRAGMA user_version = 2");
    database.exec("COMMIT");
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}

interface Row {
  readonly name: string;
  readonly serial: number;
  readonly content: string;
}

class NodeFile {
  readonly #database: Database.Database;
  readonly #isShared: boolean;
  readonly #sql;
  /** The serial of the newest state that this process knows. */
  #seen = -1;
  /** A turn is already a transaction. */
  #inTurn = false;
  #isClosed = false;
  /** Texts of the next transaction, by name. */
  readonly #waiting = new SavedTexts();
  #flushing: Promise<void> | undefined;

  constructor(database: Database.Database, isShared: boolean) {
    this.#database = database;
    this.#isShared = isShared;
    const prepare = (text: string) => database.prepare(text);
    this.#sql = {
      begin: prepare("BEGIN IMMEDIATE"),
      commit: prepare("COMMIT"),
      rollback: prepare("ROLLBACK"),
      newest: prepare("SELECT max(serial) AS serial FROM node_state"),
      news: prepare("SELECT name, serial, content FROM node_state WHERE serial > ?"),
      put: prepare(
        `INSERT INTO node_state (name, serial, content) VALUES (?, ?, ?)
         ON CONFLICT (name) DO UPDATE SET serial = excluded.serial, content = excluded.content`,
      ),
      removeParts: prepare("DELETE FROM node_state WHERE name > ? AND name < ?"),
    };
  }

  load() {
    this.#seen = -1;
    return parsedStates(this.#orStatesError(() => this.#news()));
  }

  save(changed: ReadonlyMap<string, string>): void | Promise<void> {
    if (this.#inTurn) return this.#orStatesError(() => this.#put(changed));
    this.#waiting.enter(changed);
    this.#flushing ??= otherWork().then(() => this.#flush());
    return this.#flushing;
  }

  #flush(): void {
    this.#flushing = undefined;
    const changed = this.#waiting.all;
    if (changed.size === 0) return;
    this.#waiting.clear();
    this.#orStatesError(() => this.#transaction(() => this.#put(changed)));
  }

  turn<T>(adopt: Parameters<NonNullable<NodeStates["alone"]>>[0], act: () => T): T {
    this.#orStatesError(() => this.#sql.begin.run());
    this.#inTurn = true;
    try {
      const changed = this.#orStatesError(() => this.#news());
      if (changed.size > 0) adopt(parsedStates(changed));
      const value = act();
      this.#orStatesError(() => this.#sql.commit.run());
      return value;
    } catch (error) {
      // Changes in memory are invalid: the next turn reads the stored states.
      this.#seen = -1;
      if (this.#database.inTransaction) this.#sql.rollback.run();
      throw error;
    } finally {
      this.#inTurn = false;
    }
  }

  close(): void {
    if (!this.#isClosed) this.#flush();
    this.#isClosed = true;
    this.#database.close();
  }

  #news(): ReadonlyMap<string, string> {
    const rows = this.#sql.news.all(this.#seen) as Row[];
    for (const { serial } of rows) this.#seen = Math.max(this.#seen, serial);
    return new Map(rows.map(({ name, content }) => [name, content]));
  }

  #put(changed: ReadonlyMap<string, string>): void {
    const next = (this.#isShared || this.#seen < 0 ? this.#newest() : this.#seen) + 1;
    for (const [name, content] of changed) {
      const isWhole = name !== "" && !name.includes(" ");
      if (isWhole) this.#sql.removeParts.run(`${name} `, `${name}!`);
      this.#sql.put.run(name, next, content);
    }
    this.#seen = next;
  }

  #newest(): number {
    const { serial } = this.#sql.newest.get() as { serial: number | null };
    return serial ?? 0;
  }

  #transaction(act: () => void): void {
    this.#sql.begin.run();
    try {
      act();
      this.#sql.commit.run();
    } catch (error) {
      if (this.#database.inTransaction) this.#sql.rollback.run();
      throw error;
    }
  }

  /** Converts errors of the file to those that simulated nodes report. */
  #orStatesError<T>(ask: () => T): T {
    try {
      if (this.#isClosed) throw new Error("the file has been closed");
      return ask();
    } catch (error) {
      throw new NodeStatesError(`The state of the nodes: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }
}
