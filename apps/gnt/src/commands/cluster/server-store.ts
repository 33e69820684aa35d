import type { OptionValues } from "../../invocation.js";
import { text } from "../../options/kinds.js";

export const store = text(
  "store",
  "postgres://…",
  "PostgreSQL database of the server; without it, files of the data directory",
);

/** The option as words for the server's program. */
export function storeWords(options: OptionValues): readonly string[] {
  const url = options.text("store");
  return url === undefined ? [] : [`--store=${url}`];
}
