/** gnt-node: the machines that instances run on. */
import { programOf } from "../command.js";
import { changing } from "../commands/node/changing-commands.js";
import { listing } from "../commands/node/listing-commands.js";
import { moving } from "../commands/node/moving-commands.js";
import { tagCommands } from "../commands/tags/tag-commands.js";

export const program = programOf("gnt-node", "Node commands", {
  ...listing,
  ...moving,
  ...changing,
  ...tagCommands({
    program: "gnt-node",
    thing: { kind: "node", usage: "<node-name>", example: "node3" },
    called: "the given node",
  }),
});
