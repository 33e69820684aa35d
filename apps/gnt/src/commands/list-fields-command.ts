/** listFieldsCommand: the command `list-fields` of every program with lists. */
import type { QueryKind } from "../cluster.js";
import { anyNumber, type Command } from "../command.js";
import { headers } from "../options/shared.js";

export const listFieldsCommand = ({
  kind,
  things,
  usage,
  example,
}: {
  readonly kind: QueryKind;
  /** `node groups`: the objects in the list of commands. */
  readonly things: string;
  readonly usage: string;
  readonly example: Command["examples"][number];
}): Command => ({
  name: "list-fields",
  summary: `Lists all available fields for ${things}`,
  usage,
  arguments: anyNumber("field"),
  options: headers,
  examples: [example],
  load: async () => (await import("../listing.js")).listFields(kind),
});
