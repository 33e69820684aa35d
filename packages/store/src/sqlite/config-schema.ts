/** Tables of a configuration in a file, with a version independent of the queue's. */
import { HaltError } from "@ganeti-ts/job-queue";
import type { Database } from "libsql";

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
];

/** Migrates the tables to the version of this program, in one transaction. @throws HaltError if they are newer */
export function migrateConfig(database: Database): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    database.exec("CREATE TABLE IF NOT EXISTS config_version (version INTEGER NOT NULL)");
    const row = database.prepare("SELECT version FROM config_version").get();
    const version = (row as { version: number } | undefined)?.version ?? 0;
    if (version > migrations.length)
      throw HaltError.newerVersion("configuration", version, migrations.length);
    for (const statement of migrations.slice(version).flat()) database.exec(statement);
    database.exec("DELETE FROM config_version");
    database.prepare("INSERT INTO config_version VALUES (?)").run(migrations.length);
    database.exec("COMMIT");
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}
