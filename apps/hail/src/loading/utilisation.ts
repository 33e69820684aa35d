/** Reads a file of measured loads by instance (`-U`). */
import { DataError, type Load, readFloat } from "@ganeti-ts/htools";
import { decodeText, onFile } from "../file-error.js";
import type { Ports } from "../ports.js";

/**
 * One instance per line: its full name and four loads, separated by single blanks. If a name is repeated, the
 * last line counts. Throws a FileError, or a DataError for the first malformed line.
 */
export function readUtilisation(path: string, ports: Ports): Map<string, Load> {
  const bytes = onFile(path, () => ports.readFile(path));
  const lines = decodeText(path, bytes).split("\n");
  if (lines.at(-1) === "") lines.pop();
  try {
    return new Map(lines.map(readLine));
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    throw new DataError(`can't parse utilisation data: ${error.message}`, { cause: error });
  }
}

function readLine(line: string): [string, Load] {
  const [name, ...loads] = line.split(" ");
  if (name === undefined || loads.length !== 4) throw new DataError(`Cannot parse line ${line}`);
  const [cpu, memory, disk, network] = loads.map((text) => readFloat(text, name)) as [
    number,
    number,
    number,
    number,
  ];
  return [name, { cpu, memory, disk, network }];
}
