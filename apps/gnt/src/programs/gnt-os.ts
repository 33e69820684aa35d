/** gnt-os: operating systems of instances. */
import type { Program } from "../command.js";
import { osCommands } from "../commands/os/commands.js";

export const program: Program = {
  name: "gnt-os",
  summary: "OS commands",
  commands: osCommands,
};
