/** A SQLite file as a whole: whether it is damaged, and copies of it while others use it. */
import { closeSync, openSync, readSync, statSync } from "node:fs";
import Database from "libsql";

/**
 * Fault of the file in one line; undefined for a sound, an empty or a missing one. Looks at every page
 * (`PRAGMA quick_check`), about 200 MB a second, while others may use the file.
 */
export function sqliteDamage(path: string): string | undefined {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return undefined;
  let database: Database.Database | undefined;
  try {
    database = new Database(path);
    const [row] = database.prepare("PRAGMA quick_check(1)").all() as { quick_check: string }[];
    const said = row?.quick_check ?? "no answer";
    return said === "ok" ? undefined : oneLine(said);
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message: string };
    if (!damages.has(String(code))) throw error;
    return oneLine(message);
  } finally {
    database?.close();
  }
}

const damages: ReadonlySet<string> = new Set(["SQLITE_CORRUPT", "SQLITE_NOTADB"]);

/** Without the name of the attached database, which is always the main one. */
const oneLine = (text: string): string =>
  text
    .replace(/^\*\*\* in database main \*\*\*\s*/, "")
    .replaceAll(/\s*\n\s*/g, "; ")
    .trim();

/** Whether the file begins as every SQLite file does. */
export function isSqlite(path: string): boolean {
  const head = Buffer.alloc(16);
  const file = openSync(path, "r");
  try {
    readSync(file, head, 0, head.length, 0);
  } finally {
    closeSync(file);
  }
  return head.toString("latin1") === "SQLite format 3\0";
}

/** Writes the file as it is at this moment to a new one, while others may write it. @throws unless the new one is empty or missing */
export function copySqlite(path: string, target: string): void {
  const database = new Database(path, { timeout: 10_000 });
  try {
    database.prepare("VACUUM INTO ?").run(target);
  } finally {
    database.close();
  }
}

/** Brings what has been logged into the file, and empties the log. */
export function settleSqlite(path: string): void {
  const database = new Database(path);
  try {
    database.pragma("wal_checkpoint(TRUNCATE)");
  } finally {
    database.close();
  }
}

const table = "enclosed_file";

/** Puts other files into the database, by name; an existing one is replaced. */
export function encloseFiles(path: string, files: ReadonlyMap<string, Uint8Array>): void {
  const database = new Database(path);
  try {
    database.exec(
      `CREATE TABLE IF NOT EXISTS ${table} (name TEXT PRIMARY KEY, content BLOB NOT NULL)`,
    );
    const put = database.prepare(`INSERT OR REPLACE INTO ${table} VALUES (?, ?)`);
    for (const [name, content] of files) put.run(name, Buffer.from(content));
  } finally {
    database.close();
  }
}

/** Takes the files out of the database again; undefined if none have ever been put in. */
export function takeEnclosedFiles(path: string): ReadonlyMap<string, Uint8Array> | undefined {
  const database = new Database(path);
  try {
    const known = database.prepare("SELECT 1 FROM sqlite_master WHERE name = ?").get(table);
    if (known === undefined) return undefined;
    const rows = database.prepare(`SELECT name, content FROM ${table}`).all() as {
      readonly name: string;
      /** The driver gives blobs as buffers without a view. */
      readonly content: ArrayBuffer;
    }[];
    database.exec(`DROP TABLE ${table}`);
    return new Map(rows.map(({ name, content }) => [name, new Uint8Array(content)]));
  } finally {
    database.close();
  }
}
