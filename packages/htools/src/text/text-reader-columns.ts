/** Columns, lists, flags and words of the lines of the text format. */
import { quoted, quotedList } from "@ganeti-ts/protocol";
import { DataError } from "../model/data-error.js";

/** The columns of a line, at least `count` of them; `what` names the invalid item in the error text. */
export function columnsOf<N extends number>(line: string, count: N, what: string): Columns<N> {
  const columns = line.split("|");
  if (columns.length >= count) return columns as Columns<N>;
  throw new DataError(`${what}: '${quotedList(columns)}'`);
}

/** A tuple of at least N strings. */
type Columns<N extends number, Sure extends string[] = []> = Sure["length"] extends N
  ? [...Sure, ...(string | undefined)[]]
  : Columns<N, [...Sure, string]>;

/** A comma list; empty text is an empty list. */
export const readList = (text: string): string[] => (text === "" ? [] : text.split(","));

/** `Y` or `N`; `what` names the invalid item in the error text. */
export function readFlag(text: string, what: () => string): boolean {
  if (text === "Y" || text === "N") return text === "Y";
  throw new DataError(`Invalid ${what()}`);
}

/** One of the words of an enumeration, which the error text calls `type`. */
export function readWord<T extends string>(text: string, words: readonly T[], type: string): T {
  const word = words.find((known) => known === text);
  if (word !== undefined) return word;
  throw new DataError(`Invalid string value for type ${type}: ${quoted(text)}`);
}
