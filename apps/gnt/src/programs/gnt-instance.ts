/** gnt-instance: virtual machines. */
import type { Program } from "../command.js";
import { instanceCommands } from "../commands/instance/commands.js";

export const program: Program = {
  name: "gnt-instance",
  summary: "Instance commands",
  commands: instanceCommands,
};
