/** gnt-network: addresses that instances get from pools. */
import type { Program } from "../command.js";
import { networkCommands } from "../commands/network/commands.js";

export const program: Program = {
  name: "gnt-network",
  summary: "Networks from which instances get addresses",
  commands: networkCommands,
};
