/** gnt-cluster: the cluster as a whole. */
import type { Program } from "../command.js";
import { checking, looking } from "./cluster/checking.js";
import { life, mastery } from "./cluster/life.js";
import { onNodes, settings } from "./cluster/running.js";
import { tagCommands } from "./tag-commands.js";

export const program: Program = {
  name: "gnt-cluster",
  summary: "The cluster as a whole",
  commands: [
    ...[...life, ...mastery, ...looking, ...checking, ...settings, ...onNodes],
    ...tagCommands({ program: "gnt-cluster", called: "the cluster" }),
  ],
};
