/** Migrations of tables, in one transaction. */
import { HaltError } from "@ganeti-ts/job-queue";
import type { Client } from "pg";

export interface Migrations {
  /** Name of the table that holds the version. */
  readonly versionTable: string;
  /** Content of the tables, for the message about a newer version. */
  readonly content: string;
  /** Statements that lead from each version to the next. */
  readonly steps: readonly (readonly string[])[];
}

/**
 * Migrates tables of `schema` to the version of this program, in one transaction. @throws HaltError if they are newer
 */
export async function migrateTables(
  client: Client,
  schema: string,
  { versionTable, content, steps }: Migrations,
): Promise<void> {
  const name = client.escapeIdentifier(schema);
  const table = `${name}.${versionTable}`;
  await client.query("BEGIN");
  try {
    // Serialises programs that start at the same time.
    await client.query("SELECT pg_advisory_xact_lock(hashtext($1))", [
      `ganeti-ts schema ${schema}`,
    ]);
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${name}`);
    await client.query(`CREATE TABLE IF NOT EXISTS ${table} (version integer NOT NULL)`);
    const { rows } = await client.query<{ version: number }>(`SELECT version FROM ${table}`);
    const version = rows[0]?.version ?? 0;
    if (version > steps.length) throw HaltError.newerVersion(content, version, steps.length);
    if (version < steps.length) {
      for (const statement of steps.slice(version).flat()) await client.query(statement);
      await client.query(`DELETE FROM ${table}`);
      await client.query(`INSERT INTO ${table} VALUES ($1)`, [steps.length]);
    }
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  }
}
