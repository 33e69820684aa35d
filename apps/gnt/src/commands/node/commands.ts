/** The commands of gnt-node. */
import type { Command } from "../../command.js";
import { tagCommands } from "../tags/tag-commands.js";
import { changing } from "./changing-commands.js";
import { listing } from "./listing-commands.js";
import { moving } from "./moving-commands.js";

export const nodeCommands: readonly Command[] = [
  ...[...listing, ...moving, ...changing],
  ...tagCommands({
    program: "gnt-node",
    thing: { kind: "node", usage: "<node-name>", example: "node3" },
    called: "the given node",
  }),
];
