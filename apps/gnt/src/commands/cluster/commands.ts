/** The commands of gnt-cluster. */
import type { Command } from "../../command.js";
import { tagCommands } from "../tags/tag-commands.js";
import { adoption } from "./adoption-commands.js";
import { checking, looking } from "./checking-commands.js";
import { life, mastery } from "./life-commands.js";
import { onNodes, settings } from "./running-commands.js";

export const clusterCommands: readonly Command[] = [
  ...[...life, ...adoption, ...mastery, ...looking, ...checking, ...settings, ...onNodes],
  ...tagCommands({ program: "gnt-cluster", called: "the cluster" }),
];
