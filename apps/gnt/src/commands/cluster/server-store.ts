/** Option for commands that start the server: the database in which it keeps configuration and jobs. */
import type { Option } from "../../command.js";
import type { OptionValues } from "../../invocation.js";

export const store: Option = {
  name: "store",
  type: "text",
  placeholder: "postgres://…",
  help: "PostgreSQL database of the server; without it, files of the data directory",
};

/** The option as words for the server's program. */
export function storeWords(options: OptionValues): readonly string[] {
  const url = options.text("store");
  return url === undefined ? [] : [`--store=${url}`];
}
