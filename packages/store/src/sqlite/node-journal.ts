/** The journal of node states that earlier versions wrote: one line for each change, a later one of a name counts. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import type Database from "libsql";

/**
 * Moves what a journal says into table `node_state`, once, and removes it. Where the table has states already, these are
 * newer: a process took them over and was killed before it removed the file.
 */
export function takeOverJournal(path: string, database: Database.Database): void {
  if (!existsSync(path)) return;
  // The journal goes: what was in it has to be on disk before.
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

/** A line is the name as JSON, a blank, the state; one without an end is of a process that died writing it. */
function journalOf(path: string): ReadonlyMap<string, string> {
  // Another process may have been quicker.
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  const states = new Map<string, string>();
  for (const line of text.split("\n").slice(0, -1)) {
    const end = line.indexOf('" ') + 1;
    states.set(JSON.parse(line.slice(0, end)) as string, line.slice(end + 1));
  }
  return states;
}
