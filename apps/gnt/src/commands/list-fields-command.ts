/** listFieldsCommand: the command `list-fields` of every program with lists. */
import type { QueryKind } from "../cluster.js";
import { anyNumber, type Declared } from "../command.js";
import { headers } from "../options/shared.js";

/** `things`: the objects in the list of commands, such as `node groups`. */
export const listFieldsCommand = (
  kind: QueryKind,
  things: string,
  usage: string,
  examples: Declared["examples"],
): Declared => ({
  summary: `Lists all available fields for ${things}`,
  usage,
  arguments: anyNumber("field"),
  options: headers,
  examples,
  load: async () => (await import("../listing.js")).listFields(kind),
});
