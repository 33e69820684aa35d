/** Versions of the server's own files in JSON. */
import { HaltError } from "./store.js";

/** The content of a file, unless it has a higher version than `known`. @throws HaltError; SyntaxError */
export function readVersioned(file: string, text: string, known: number): unknown {
  const content: unknown = JSON.parse(text);
  const { version } = Object(content) as { readonly version?: unknown };
  if (typeof version === "number" && version > known) {
    throw HaltError.newerVersion(`${file}:`, version, known);
  }
  return content;
}
