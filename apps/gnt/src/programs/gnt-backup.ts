/** gnt-backup: exports of instances. */
import type { Program } from "../command.js";
import { backupCommands } from "../commands/backup/commands.js";

export const program: Program = {
  name: "gnt-backup",
  summary: "Backup commands",
  commands: backupCommands,
};
