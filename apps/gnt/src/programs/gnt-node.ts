/** gnt-node: the machines that instances run on. */
import type { Program } from "../command.js";
import { nodeCommands } from "../commands/node/commands.js";

export const program: Program = {
  name: "gnt-node",
  summary: "Node commands",
  commands: nodeCommands,
};
