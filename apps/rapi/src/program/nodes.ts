/** The nodes of the cluster, which are simulated: machines that exist where the cluster's data are kept. */
import type { Configuration, Snapshot } from "@ganeti-ts/config";
import {
  type MasterHost,
  type NodeAddress,
  type NodeBackend,
  RefusingNodes,
  sparingOfflineNodes,
} from "@ganeti-ts/node-calls";
import type { Clock, NodeObject, NodeUuid } from "@ganeti-ts/protocol";
import { type Durations, type NodeStates, SimulatedNodes } from "@ganeti-ts/simulated-nodes";

export interface SimulatedParts {
  readonly clock: Clock;
  /** Where the machines are kept; absent is in memory. */
  readonly states?: NodeStates;
  /** How long things take; none if absent. */
  readonly durations?: Durations;
}

export interface ClusterNodes {
  /** Offline ones are not asked. */
  readonly nodes: NodeBackend;
  /** Machine of the master: the one that this server would run on. */
  readonly masterHost: MasterHost;
  /** They refuse workers that are dead. */
  readonly refusing: RefusingNodes;
}

/** Every node of the configuration, also of later ones, has a machine. */
export async function simulatedNodes(
  config: Configuration,
  { clock, states, durations }: SimulatedParts,
): Promise<ClusterNodes> {
  const backend = await SimulatedNodes.open({
    clock,
    hosts: [],
    ...(states === undefined ? {} : { states }),
    ...(durations === undefined ? {} : { durations }),
    newHost: (name) => ({ name, ...machineFor(config.snapshot) }),
  });
  for (const node of config.snapshot.nodes()) await backend.introduce(addressOf(node));
  // Another server may have added them. What cannot be made now is made when it is asked.
  config.onChange(({ changes }) => {
    for (const change of changes) {
      if (change.kind !== "put" || change.type !== "node") continue;
      backend.introduce(addressOf(change.object)).catch(() => undefined);
    }
  });
  const isOffline = (uuid: string) => config.snapshot.node(uuid as NodeUuid)?.offline ?? false;
  const refusing = new RefusingNodes({
    ...{ nodes: backend, fence: backend },
    reachable: () =>
      [...config.snapshot.nodes()].flatMap(({ uuid, offline }) => (offline ? [] : [uuid])),
  });
  const masterHost = backend.masterHost(() => config.snapshot.cluster.master_node);
  return { nodes: sparingOfflineNodes(refusing, isOffline), masterHost, refusing };
}

const addressOf = ({ uuid, name, primary_ip, secondary_ip }: NodeObject): NodeAddress => ({
  ...{ uuid, name },
  ...{ primaryIp: primary_ip, secondaryIp: secondary_ip },
});

/** With the volume group and the bridge that the cluster expects of its nodes. */
function machineFor({ cluster }: Snapshot) {
  const { link, mode } = cluster.nicparams.default;
  return {
    volumeGroups: { [cluster.volume_group_name ?? "xenvg"]: { "/dev/sda3": 512_000 } },
    bridges: [...new Set(["xen-br0", ...(mode === "routed" ? [] : [link])])],
  };
}
