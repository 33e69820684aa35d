/** gnt-debug: tests of the cluster's components. */
import type { Program } from "../command.js";
import { debugCommands } from "../commands/debug/commands.js";

export const program: Program = {
  name: "gnt-debug",
  summary: "Debug commands",
  commands: debugCommands,
};
