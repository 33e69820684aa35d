/** gnt-storage: providers of external storage. */
import type { Program } from "../command.js";
import { storageCommands } from "../commands/storage/commands.js";

export const program: Program = {
  name: "gnt-storage",
  summary: "External storage commands",
  commands: storageCommands,
};
