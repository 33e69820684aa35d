/** Check for simulated nodes that existed before the cluster and have disks of another one. */
import type { NodeStates } from "@ganeti-ts/simulated-nodes";
import { StartError } from "./start-error.js";

/**
 * Refuses to make a cluster of nodes that hold disks or run instances: probably the database of their cluster is missing.
 * @throws StartError
 */
export async function checkNodesAreEmpty(states: NodeStates, path: string): Promise<void> {
  const { hosts, shared } = await states.load();
  let disks = Object.keys(shared?.disks ?? {}).length;
  let instances = 0;
  for (const stateOf of hosts.values()) {
    const { volumeGroups, fileSystem, instances: running } = stateOf();
    disks += Object.keys(fileSystem.disks).length;
    for (const { volumes } of Object.values(volumeGroups)) disks += Object.keys(volumes).length;
    instances += Object.keys(running).length;
  }
  if (disks + instances === 0) return;
  throw new StartError(
    `${path} has no cluster, but its ${hosts.size} nodes hold ${disks} volumes and disk files of one and run ` +
      `${instances} instances: bring its database back (ganeti-rapi --restore=FILE), or make a new cluster over ` +
      "these nodes with --over-nodes; what they hold then belongs to no instance",
  );
}
