/** The tables of a configuration in a database; their version is their own, beside that of the queue's. */
import type { Client } from "pg";

/** One list of statements per version: version n is what the first n lists make. */
const migrations: readonly (readonly string[])[] = [
  [
    // Removals that are older than `forgotten` have left no row.
    `CREATE TABLE config (
       one boolean PRIMARY KEY DEFAULT true CHECK (one),
       serial bigint NOT NULL DEFAULT 0, forgotten bigint NOT NULL DEFAULT 0
     )`,
    "INSERT INTO config DEFAULT VALUES",
    // Without a document: it has been removed.
    `CREATE TABLE config_object (
       type text NOT NULL, uuid text NOT NULL, serial bigint NOT NULL, document json,
       PRIMARY KEY (type, uuid)
     )`,
    "CREATE INDEX config_object_serial ON config_object (serial)",
    // Whose the last commits were, for who lost its connection during one.
    "CREATE TABLE config_commit (serial bigint PRIMARY KEY, mark text NOT NULL)",
  ],
];

/** Commits whose removals and marks are kept. */
const kept = 10_000;

/** Brings the tables to the version of this program, in one transaction. Throws if they are newer. */
export async function migrateConfig(client: Client, schema: string): Promise<void> {
  const name = client.escapeIdentifier(schema);
  await client.query("BEGIN");
  try {
    // Two programs that start together take turns.
    await client.query("SELECT pg_advisory_xact_lock(hashtext($1))", [
      `ganeti-ts schema ${schema}`,
    ]);
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${name}`);
    await client.query(
      `CREATE TABLE IF NOT EXISTS ${name}.config_version (version integer NOT NULL)`,
    );
    const { rows } = await client.query<{ version: number }>(
      `SELECT version FROM ${name}.config_version`,
    );
    const version = rows[0]?.version ?? 0;
    if (version > migrations.length) {
      throw new Error(`Found configuration version ${version}, expected ${migrations.length}`);
    }
    if (version < migrations.length) {
      for (const statement of migrations.slice(version).flat()) await client.query(statement);
      await client.query(`DELETE FROM ${name}.config_version`);
      await client.query(`INSERT INTO ${name}.config_version VALUES ($1)`, [migrations.length]);
    }
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  }
}

/** Forgets old removals and marks. */
export async function forgetOldCommits(client: Client): Promise<void> {
  await client.query(
    `WITH old AS (
       UPDATE config SET forgotten = serial - $1 WHERE serial - $1 > forgotten RETURNING forgotten
     ), removals AS (
       DELETE FROM config_object USING old WHERE document IS NULL AND serial <= old.forgotten
     ) DELETE FROM config_commit USING old WHERE serial <= old.forgotten`,
    [kept],
  );
}
