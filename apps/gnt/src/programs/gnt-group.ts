/** gnt-group: groups of nodes. */
import type { Program } from "../command.js";
import { groupCommands } from "../commands/group/commands.js";

export const program: Program = {
  name: "gnt-group",
  summary: "Node group commands",
  commands: groupCommands,
};
