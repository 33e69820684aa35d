/** Tables of a configuration in a database, with a version independent of the queue's. */
import type { Client } from "pg";
import { migrateTables } from "./migrate-tables.js";

/** Statements per version: version n is the result of the first n lists. */
const migrations: readonly (readonly string[])[] = [
  [
    // Removals up to commit `forgotten` have no rows any more.
    `CREATE TABLE config (
       one boolean PRIMARY KEY DEFAULT true CHECK (one),
       serial bigint NOT NULL DEFAULT 0, forgotten bigint NOT NULL DEFAULT 0
     )`,
    "INSERT INTO config DEFAULT VALUES",
    // A row without a document is a removed object.
    `CREATE TABLE config_object (
       type text NOT NULL, uuid text NOT NULL, serial bigint NOT NULL, document json,
       PRIMARY KEY (type, uuid)
     )`,
    "CREATE INDEX config_object_serial ON config_object (serial)",
    // Marks of recent commits, for processes that lost their connection during one.
    "CREATE TABLE config_commit (serial bigint PRIMARY KEY, mark text NOT NULL)",
  ],
  // Claims are objects of their own, converted when the configuration is opened. A server of an older version that is
  // still running does not know them: under the former name it finds no table.
  ["ALTER TABLE config_object RENAME TO config_entry"],
];

/** Number of commits whose removals and marks are kept. */
const kept = 10_000;

/** Migrates the tables to the version of this program. Throws if they are newer. */
export const migrateConfig = (client: Client, schema: string): Promise<void> =>
  migrateTables(client, schema, {
    versionTable: "config_version",
    content: "configuration",
    steps: migrations,
  });

/** Deletes old removals and marks. */
export async function forgetOldCommits(client: Client): Promise<void> {
  await client.query(
    `WITH old AS (
       UPDATE config SET forgotten = serial - $1 WHERE serial - $1 > forgotten RETURNING forgotten
     ), removals AS (
       DELETE FROM config_entry USING old WHERE document IS NULL AND serial <= old.forgotten
     ) DELETE FROM config_commit USING old WHERE serial <= old.forgotten`,
    [kept],
  );
}
