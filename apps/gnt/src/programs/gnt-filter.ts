/** gnt-filter: rules that hold, refuse or throttle jobs. */
import type { Program } from "../command.js";
import { filterCommands } from "../commands/filter/commands.js";

export const program: Program = {
  name: "gnt-filter",
  summary: "Job filter rule commands",
  commands: filterCommands,
};
