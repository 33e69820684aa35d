/** gnt-job: what the queue works on. */
import type { Program } from "../command.js";
import { jobCommands } from "../commands/job/commands.js";

export const program: Program = {
  name: "gnt-job",
  summary: "Job commands",
  commands: jobCommands,
};
