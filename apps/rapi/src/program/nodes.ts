/** The nodes of the cluster, which are simulated: machines that exist as files of the data directory. */
import type { Configuration, Snapshot } from "@ganeti-ts/config";
import type { Clock, EffectTakers } from "@ganeti-ts/job-queue";
import { type NodeBackend, RefusingNodes, sparingOfflineNodes } from "@ganeti-ts/logical-units";
import { nodeStatesInFiles } from "@ganeti-ts/logical-units/machine";
import { type Durations, SimulatedNodes } from "@ganeti-ts/logical-units/simulated";
import type { NodeUuid } from "@ganeti-ts/protocol";

export interface SimulatedParts {
  readonly clock: Clock;
  /** Where the machines are kept; absent is in memory. */
  readonly folder?: string;
  /** How long things take; none if absent. */
  readonly durations?: Durations;
  /** Of this server's worker; none if absent. */
  readonly lease?: string;
}

export interface ClusterNodes {
  /** Offline ones are not asked. */
  readonly nodes: NodeBackend;
  /** They refuse workers that are dead. */
  readonly effectTakers: EffectTakers;
}

/** Every node of the configuration, also of later ones, has a machine. */
export async function simulatedNodes(
  config: Configuration,
  { clock, folder, durations, lease = "" }: SimulatedParts,
): Promise<ClusterNodes> {
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
  const isOffline = (uuid: string) => config.snapshot.node(uuid as NodeUuid)?.offline ?? false;
  const refusing = new RefusingNodes({
    ...{ nodes: backend, lease },
    reachable: () =>
      [...config.snapshot.nodes()].flatMap(({ uuid, offline }) => (offline ? [] : [uuid])),
  });
  return { nodes: sparingOfflineNodes(refusing, isOffline), effectTakers: refusing };
}

/** With the volume group and the bridge that the cluster expects of its nodes. */
function machineFor({ cluster }: Snapshot) {
  const { link, mode } = cluster.nicparams.default;
  return {
    volumeGroups: { [cluster.volume_group_name ?? "xenvg"]: { "/dev/sda3": 512_000 } },
    bridges: [...new Set(["xen-br0", ...(mode === "routed" ? [] : [link])])],
  };
}
