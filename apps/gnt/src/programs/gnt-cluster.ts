/** gnt-cluster: the cluster as a whole. */
import { programOf } from "../command.js";
import { adoption } from "../commands/cluster/adoption-commands.js";
import { checking, looking } from "../commands/cluster/checking-commands.js";
import { life, mastery } from "../commands/cluster/life-commands.js";
import { onNodes, settings } from "../commands/cluster/running-commands.js";
import { tagCommands } from "../commands/tags/tag-commands.js";

export const program = programOf("gnt-cluster", "Cluster commands", {
  ...life,
  ...adoption,
  ...mastery,
  ...looking,
  ...checking,
  ...settings,
  ...onNodes,
  ...tagCommands({ program: "gnt-cluster", called: "the cluster" }),
});
