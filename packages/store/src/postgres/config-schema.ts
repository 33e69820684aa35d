/** The tables of a configuration in a database; their version is their own, beside that of the queue's. */
import type { Client } from "pg";
import { migrateTables } from "./migrate-tables.js";

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

/** Brings the tables to the version of this program. Throws if they are newer. */
export const migrateConfig = (client: Client, schema: string): Promise<void> =>
  migrateTables(client, schema, {
    versionTable: "config_version",
    content: "configuration",
    steps: migrations,
  });

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
