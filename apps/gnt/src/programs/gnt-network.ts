/** gnt-network: networks with pools of addresses for instances. */
import type { Program } from "../command.js";
import { networkCommands } from "../commands/network/commands.js";

export const program: Program = {
  name: "gnt-network",
  summary: "Network commands",
  commands: networkCommands,
};
