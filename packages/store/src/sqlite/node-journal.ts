/**
 * Journal of node states written by earlier versions: one line for each change, of which the last one for a
 * name counts.
 */
import { existsSync, readFileSync, rmSync } from "node:fs";
import type Database from "libsql";

/**
 * Moves the contents of a journal into table `node_state`, once, and removes it. States already in the table
 * are newer: a process imported them and was killed before it removed the file.
 */
export function takeOverJournal(path: string, database: Database.Database): void {
  if (!existsSync(path)) return;
  // The journal is deleted, so its contents must be on disk before.
  database.pragma("synchronous = FULL");
  database.exec("BEGIN IMMEDIATE");
  try {
    if (isEmpty(database)) {
      const put = database.prepare(
        "INSERT INTO node_state (name, serial, content) VALUES (?, 0, ?)",
      );
      for (const [name, content] of journalOf(path)) put.run(name, content);
    }
    database.exec("COMMIT");
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
  database.pragma("synchronous = NORMAL");
  for (const end of ["", ".new"]) rmSync(`${path}${end}`, { force: true });
}

const isEmpty = (database: Database.Database): boolean =>
  database.prepare("SELECT 1 FROM node_state LIMIT 1").get() === undefined;

/**
 * A line is the name as JSON, a blank, the state; an incomplete line was being written by a process that
 * died.
 */
function journalOf(path: string): ReadonlyMap<string, string> {
  // Another process may have removed it first.
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  const states = new Map<string, string>();
  for (const line of text.split("\n").slice(0, -1)) {
    const end = line.indexOf('" ') + 1;
    states.set(JSON.parse(line.slice(0, end)) as string, line.slice(end + 1));
  }
  return states;
}
