/** simulation: simulated nodes, whose machines are stored with the cluster's data. */

import type { ClusterPorts, NewCluster, NewClusterSettings } from "@ganeti-ts/cluster";
import type { Snapshot } from "@ganeti-ts/config";
import { systemClock } from "@ganeti-ts/protocol";
import {
  type Durations,
  type NodeStates,
  SimulatedNodes,
  simulatedAddress,
} from "@ganeti-ts/simulated-nodes";
import type { Consoles } from "../console/consoles.js";
import type { Practice } from "../practice.js";
import { consolesHere } from "./consoles-here.js";
import { practiceOn } from "./practice.js";
import { simulatedConsoles } from "./simulated-consoles.js";
import { simulatedResolver } from "./simulated-resolver.js";

export interface SimulationOptions {
  /** Store of the machines; if absent, they are kept in memory. */
  readonly states?: NodeStates;
  /** Durations of operations; if absent, operations take no time. */
  readonly durations?: Durations;
  /** Whether the nodes have the names of another cluster's nodes. */
  readonly isTwin?: boolean;
}

/** The nodes of a cluster, as the options choose them. */
export interface ChosenNodes extends Pick<ClusterPorts, "nodes" | "resolver"> {
  /** Simulated failures, available once the nodes have been opened. Undefined for real nodes. */
  readonly practice: Practice | undefined;
  readonly consoles: Consoles;
}

/** Simulated nodes, with a machine for every node that the configuration contains or gets later. */
export function simulation({
  states,
  durations,
  isTwin = false,
}: SimulationOptions = {}): ChosenNodes {
  let opened: { readonly simulated: SimulatedNodes; readonly now: () => Snapshot } | undefined;
  return {
    async nodes(now) {
      const simulated = await SimulatedNodes.open({
        clock: systemClock,
        hosts: [],
        ...(states === undefined ? {} : { states }),
        ...(durations === undefined ? {} : { durations }),
        newHost: (name) => ({ name, ...machineFor(now()) }),
        takesAddress: (name, address) => isFree(now(), name, address),
      });
      opened = { simulated, now };
      const masterHost = simulated.masterHost(() => now().cluster.master_node);
      const backend = isTwin ? consolesHere(simulated) : simulated;
      return { backend, fence: simulated, masterHost };
    },
    resolver: (now) =>
      simulatedResolver(
        () => now().cluster.cluster_name,
        (name) => now().findNode(name),
      ),
    practice: practiceOn(() => opened),
    consoles: simulatedConsoles,
  };
}

/** Whether a machine can have an address: simulated ones accept all that no other node, cluster or instance has. */
const isFree = (now: Snapshot, name: string, address: string): boolean =>
  address !== now.cluster.master_ip &&
  ![...now.instances()].some(({ nics }) => nics.some(({ ip }) => ip === address)) &&
  ![...now.nodes()].some(
    (node) => node.name !== name && [node.primary_ip, node.secondary_ip].includes(address),
  );

/** A machine with the volume group and the bridge that the cluster expects of its nodes. */
function machineFor({ cluster }: Snapshot) {
  const { link, mode } = cluster.nicparams.default;
  return {
    volumeGroups: { [cluster.volume_group_name ?? "xenvg"]: { "/dev/sda3": 512_000 } },
    bridges: [...new Set(["xen-br0", ...(mode === "routed" ? [] : [link])])],
  };
}

export interface SimulatedCluster {
  readonly name: string;
  /** Number of nodes if the settings name neither nodes nor groups. */
  readonly nodeCount: number;
  readonly groupCount: number;
  readonly settings: NewClusterSettings;
}

/** Completes the settings with nodes and addresses. */
export function newSimulatedCluster({
  name,
  nodeCount,
  groupCount,
  settings,
}: SimulatedCluster): NewCluster {
  const domain = name.includes(".") ? name.slice(name.indexOf(".") + 1) : name;
  const groups =
    settings.groups ??
    Array.from({ length: groupCount }, (_, at) => (at === 0 ? "default" : `group${at + 1}`));
  const perGroup = Math.ceil(nodeCount / groupCount);
  const nodes =
    settings.nodes ??
    Array.from({ length: nodeCount }, (_, at) => ({
      name: `node${at + 1}.${domain}`,
      group: groups[Math.floor(at / perGroup)] ?? "default",
    }));
  return {
    hypervisors: ["fake"],
    ...settings,
    name,
    groups,
    nodes: nodes.map((node, at) => ({ primary_ip: simulatedAddress(at + 1), ...node })),
  };
}
