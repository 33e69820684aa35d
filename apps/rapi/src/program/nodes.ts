/** The nodes of the cluster, which are simulated: machines that exist as files of the data directory. */
import type { Configuration, Snapshot } from "@ganeti-ts/config";
import type { Clock } from "@ganeti-ts/job-queue";
import { type NodeBackend, sparingOfflineNodes } from "@ganeti-ts/logical-units";
import { nodeStatesInFiles } from "@ganeti-ts/logical-units/machine";
import { type Durations, SimulatedNodes } from "@ganeti-ts/logical-units/simulated";
import type { NodeUuid } from "@ganeti-ts/protocol";

export interface SimulatedParts {
  readonly clock: Clock;
  /** Where the machines are kept; absent is in memory. */
  readonly folder?: string;
  /** How long things take; none if absent. */
  readonly durations?: Durations;
}

/** Every node of the configuration, also of later ones, has a machine; offline nodes are not asked. */
export async function simulatedNodes(
  config: Configuration,
  { clock, folder, durations }: SimulatedParts,
): Promise<NodeBackend> {
  const backend = await SimulatedNodes.open({
    clock,
    hosts: [],
    // Another server may use the same folder.
    ...(folder === undefined ? {} : { states: nodeStatesInFiles(folder, { shared: true }) }),
    ...(durations === undefined ? {} : { durations }),
    newHost: (name) => ({ name, ...machineFor(config.snapshot) }),
  });
  for (const { uuid, name, primary_ip, secondary_ip } of config.snapshot.nodes()) {
    await backend.introduce({ uuid, name, primaryIp: primary_ip, secondaryIp: secondary_ip });
  }
  return sparingOfflineNodes(
    backend,
    (uuid) => config.snapshot.node(uuid as NodeUuid)?.offline ?? false,
  );
}

/** With the volume group and the bridge that the cluster expects of its nodes. */
function machineFor({ cluster }: Snapshot) {
  const { link, mode } = cluster.nicparams.default;
  return {
    volumeGroups: { [cluster.volume_group_name ?? "xenvg"]: { "/dev/sda3": 512_000 } },
    bridges: [...new Set(["xen-br0", ...(mode === "routed" ? [] : [link])])],
  };
}
