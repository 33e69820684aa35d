/** gnt-cluster: the cluster as a whole. */
import type { Program } from "../command.js";
import { clusterCommands } from "../commands/cluster/commands.js";

export const program: Program = {
  name: "gnt-cluster",
  summary: "Cluster commands",
  commands: clusterCommands,
};
