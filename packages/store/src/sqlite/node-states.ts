/** State of simulated nodes in one SQLite file, for one process or for several on one machine. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { HaltError } from "@ganeti-ts/job-queue";
import type { NodeStates } from "@ganeti-ts/simulated-nodes";
import Database from "libsql";
import { nodeStateStatements } from "./node-file.js";
import { takeOverJournal } from "./node-journal.js";
import { OwnNodeStates } from "./own-node-states.js";
import { SharedNodeStates } from "./shared-node-states.js";
import { Writer } from "./writer.js";

/** Options of `openSqliteNodeStates`. */
interface SqliteNodeStatesOptions {
  /** Whether several processes of this machine simulate the same nodes. Default: false. */
  readonly shared?: boolean;
}

/** Durable states of simulated nodes, to be closed at the end. */
interface StoredNodeStates extends NodeStates {
  close(): Promise<void>;
}

/**
 * Maximum time (ms) a process waits for its turn before the call fails; a turn takes no longer than a call.
 */
const turnMs = 10_000;

/** Only a checkpoint waits for the disk. A whole host with 100 instances takes 100 KiB. */
const pagesBetweenCheckpoints = 8192;

const pragmas = [
  "journal_mode = WAL",
  "synchronous = NORMAL",
  `wal_autocheckpoint = ${pagesBetweenCheckpoints}`,
];

/**
 * Opens the file, which is created with its folder if missing. A saved state survives the process, however it
 * ends; a crash of the machine may lose the last ones. A call costs the parts of hosts that it changes, with `shared`
 * these hosts and those that others have changed. Without `shared`, calls of a few turns of the event loop share
 * one transaction, written by a thread.
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
  for (const pragma of pragmas) database.pragma(pragma);
  migrate(database);
  takeOverJournal(join(dirname(path), "nodes.journal"), database);
  if (shared) {
    const file = new SharedNodeStates(database);
    return { ...statesOf(file), alone: (adopt, act) => file.alone(adopt, act) };
  }
  const writer = new Writer({ path, pragmas, statements: nodeStateStatements, isSynced: false });
  return { ...statesOf(new OwnNodeStates(database, writer)), hasParts: true };
}

/** Functions that need no `this`, so that callers may replace some of them. */
const statesOf = (file: OwnNodeStates | SharedNodeStates): StoredNodeStates => ({
  load: () => file.load(),
  save: (changed) => file.save(changed),
  close: () => file.close(),
});

/** @throws HaltError if a newer program created it */
function migrate(database: Database.Database): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    const { user_version: version } = database.prepare("PRAGMA user_version").get() as {
      user_version: number;
    };
    if (version > 2) throw HaltError.newerVersion("node state", version, 2);
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
