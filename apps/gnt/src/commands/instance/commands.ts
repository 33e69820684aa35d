/** The commands of gnt-instance. */
import type { Command } from "../../command.js";
import { creationCommands } from "./creation-commands.js";
import { diskCommands } from "./disk-commands.js";
import { placementCommands } from "./placement-commands.js";
import { queryCommands } from "./query-commands.js";
import { stateCommands } from "./state-commands.js";

export const instanceCommands: readonly Command[] = [
  ...creationCommands,
  ...queryCommands,
  ...stateCommands,
  ...placementCommands,
  ...diskCommands,
];
