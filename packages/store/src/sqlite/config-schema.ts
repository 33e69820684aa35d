/** Tables of a configuration in a file, with a version independent of the queue's. */
import type { Database } from "libsql";
import { migrateTables } from "./migrate-tables.js";

/** Statements per version: version n is the result of the first n lists. */
const migrations: readonly (readonly string[])[] = [
  [
    "CREATE TABLE config (serial INTEGER NOT NULL)",
    "INSERT INTO config VALUES (0)",
    `CREATE TABLE config_object (
       type TEXT NOT NULL, uuid TEXT NOT NULL, serial INTEGER NOT NULL, document TEXT NOT NULL,
       PRIMARY KEY (type, uuid)
     ) WITHOUT ROWID`,
  ],
  // Claims are objects of their own, converted when the configuration is opened: older programs do not know them.
  [],
];

/** Migrates the tables to the version of this program. @throws HaltError if they are newer */
export const migrateConfig = (database: Database): void =>
  migrateTables(database, {
    versionTable: "config_version",
    content: "configuration",
    steps: migrations,
  });
