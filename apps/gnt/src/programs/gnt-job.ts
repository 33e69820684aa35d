/** gnt-job: jobs of the queue. */
import type { Program } from "../command.js";
import { jobCommands } from "../commands/job/commands.js";

export const program: Program = {
  name: "gnt-job",
  summary: "Job commands",
  commands: jobCommands,
};
