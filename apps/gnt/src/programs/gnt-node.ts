/** gnt-node: the machines that instances run on. */
import type { Program } from "../command.js";
import { changing } from "./node/changing.js";
import { listing } from "./node/listing.js";
import { moving } from "./node/moving.js";
import { tagCommands } from "./tag-commands.js";

export const program: Program = {
  name: "gnt-node",
  summary: "The machines that instances run on",
  commands: [
    ...listing,
    ...moving,
    ...changing,
    ...tagCommands({
      program: "gnt-node",
      thing: { kind: "node", usage: "<node-name>", example: "node3" },
      called: "the given node",
    }),
  ],
};
