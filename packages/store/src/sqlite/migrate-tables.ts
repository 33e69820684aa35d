/** Migrations of tables in a file, with a version of their own. */
import { HaltError } from "@ganeti-ts/job-queue";
import type { Database } from "libsql";

export interface Migrations {
  /** Name of the table that holds the version. */
  readonly versionTable: string;
  /** Content of the tables, for the message about a newer version. */
  readonly content: string;
  /** Statements that lead from each version to the next. */
  readonly steps: readonly (readonly string[])[];
}

/** Migrates the tables to the version of this program, in one transaction. @throws HaltError if they are newer */
export function migrateTables(
  database: Database,
  { versionTable, content, steps }: Migrations,
): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    database.exec(`CREATE TABLE IF NOT EXISTS ${versionTable} (version INTEGER NOT NULL)`);
    const row = database.prepare(`SELECT version FROM ${versionTable}`).get();
    const version = (row as { version: number } | undefined)?.version ?? 0;
    if (version > steps.length) throw HaltError.newerVersion(content, version, steps.length);
    for (const statement of steps.slice(version).flat()) database.exec(statement);
    database.exec(`DELETE FROM ${versionTable}`);
    database.prepare(`INSERT INTO ${versionTable} VALUES (?)`).run(steps.length);
    database.exec("COMMIT");
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}
