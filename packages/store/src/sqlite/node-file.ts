/** Rows of a file of node states. */
import { NodeStatesError } from "@ganeti-ts/simulated-nodes";
import type Database from "libsql";
import type { Write } from "./writer.js";

interface Row {
  readonly name: string;
  readonly serial: number;
  readonly content: string;
}

/** SQL texts of `nodeStateWrites`, by name. */
export const nodeStateStatements = {
  put: `INSERT INTO node_state (name, serial, content) VALUES (?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET serial = excluded.serial, content = excluded.content`,
  removeParts: "DELETE FROM node_state WHERE name > ? AND name < ?",
};

/** Writes the texts by name; that of a whole host replaces its parts. */
export const nodeStateWrites = (
  changed: ReadonlyMap<string, string>,
  serial: number,
): readonly Write<keyof typeof nodeStateStatements>[] =>
  Array.from(changed).flatMap(([name, content]): Write<keyof typeof nodeStateStatements>[] => {
    const isWhole = name !== "" && !name.includes(" ");
    return [
      ...(isWhole ? [["removeParts", [`${name} `, `${name}!`]] as const] : []),
      ["put", [name, serial, content]],
    ];
  });

/** Reads a file of node states. */
export class NodeRows {
  readonly #newest;
  readonly #news;

  constructor(database: Database.Database) {
    this.#newest = database.prepare("SELECT max(serial) AS serial FROM node_state");
    this.#news = database.prepare("SELECT name, serial, content FROM node_state WHERE serial > ?");
  }

  /** Serial of the newest state; 0 without any. */
  newest(): number {
    const { serial } = this.#newest.get() as { serial: number | null };
    return serial ?? 0;
  }

  /** Texts newer than `serial` by name, and the serial of the newest of them. */
  since(serial: number): { readonly texts: ReadonlyMap<string, string>; readonly newest: number } {
    const rows = this.#news.all(serial) as Row[];
    return {
      texts: new Map(rows.map(({ name, content }) => [name, content])),
      newest: rows.reduce((newest, row) => Math.max(newest, row.serial), serial),
    };
  }
}

/** As simulated nodes report it. */
export const statesError = (error: unknown): NodeStatesError =>
  new NodeStatesError(`The state of the nodes: ${(error as Error).message}`, { cause: error });
