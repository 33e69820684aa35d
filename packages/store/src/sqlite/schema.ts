/** Tables of a queue file, with the migrations from older versions. */
import { HaltError } from "@ganeti-ts/job-queue";
import type { Database } from "libsql";

/** Statements per version: version n is the result of the first n lists. */
const migrations: readonly (readonly string[])[] = [
  [
    `CREATE TABLE queue (
       serial INTEGER NOT NULL, live_count INTEGER NOT NULL, last_worker INTEGER NOT NULL,
       drained INTEGER NOT NULL, running_max INTEGER NOT NULL, size_max INTEGER
     )`,
    "INSERT INTO queue VALUES (0, 0, 0, 0, 20, NULL)",
    `CREATE TABLE job (
       id INTEGER PRIMARY KEY, status TEXT NOT NULL, archived INTEGER NOT NULL DEFAULT 0,
       ended INTEGER, worker INTEGER, fence INTEGER, cancel INTEGER NOT NULL DEFAULT 0,
       document TEXT NOT NULL
     )`,
    "CREATE INDEX job_unfinished ON job (id) WHERE ended IS NULL",
    "CREATE INDEX job_finished ON job (ended) WHERE ended IS NOT NULL AND archived = 0",
    `CREATE TABLE job_log (
       job INTEGER NOT NULL, serial INTEGER NOT NULL, opcode INTEGER NOT NULL, entry TEXT NOT NULL,
       PRIMARY KEY (job, serial)
     ) WITHOUT ROWID`,
    "CREATE TABLE filter_rule (uuid TEXT PRIMARY KEY, document TEXT NOT NULL) WITHOUT ROWID",
  ],
  [
    // Changes missing in a job's document: opcodes changed since, and as -1 the other data.
    `CREATE TABLE job_patch (
       job INTEGER NOT NULL, opcode INTEGER NOT NULL, document TEXT NOT NULL,
       PRIMARY KEY (job, opcode)
     ) WITHOUT ROWID`,
  ],
  [
    // The last process of which nothing goes on: it has left in an orderly way, or later ones have taken care of it.
    "ALTER TABLE queue ADD COLUMN last_gone INTEGER NOT NULL DEFAULT 0",
    "UPDATE queue SET last_gone = last_worker",
  ],
];

/** The version that this program writes. */
const schemaVersion = migrations.length;

/** Migrates the file to the version of this program, in one transaction. @throws HaltError if it is newer */
export function migrate(database: Database): void {
  const row = database.prepare("PRAGMA user_version").get() as { user_version: number };
  const version = row.user_version;
  if (version > schemaVersion) throw HaltError.newerVersion("job queue", version, schemaVersion);
  if (version === schemaVersion) return;
  database.exec("BEGIN IMMEDIATE");
  for (const statement of migrations.slice(version).flat()) database.exec(statement);
  database.exec(`PRAGMA user_version = ${schemaVersion}`);
  database.exec("COMMIT");
}
