/** A cluster in memory with three simulated nodes without delays. */
import type { Snapshot } from "@ganeti-ts/config";
import type { NodeBackend, Resolver } from "@ganeti-ts/node-calls";
import { type Clock, type JsonObject, secureRandom, systemClock } from "@ganeti-ts/protocol";
import { type Durations, noDurations, noopOs, SimulatedNodes } from "@ganeti-ts/simulated-nodes";
import { creationOf } from "@ganeti-ts/testkit/configuration";
import {
  type Cluster,
  type ClusterPorts,
  type ClusterStores,
  createCluster,
  memoryStores,
  type NewCluster,
  type NodePorts,
  openCluster,
} from "../src/index.js";

/** Every name resolves, and no address answers. */
export const resolver: Resolver = {
  resolve: async (name) => ({ ok: true, name, ip: "198.51.100.7" }),
  isAlive: async () => false,
};

export const simulatedNodes = (
  clock: Clock = systemClock,
  durations: Durations = noDurations,
): Promise<SimulatedNodes> =>
  SimulatedNodes.open({
    clock,
    durations,
    hosts: [],
    newHost: (name) => ({ name, operatingSystems: [noopOs], bridges: ["xen-br0"] }),
  });

/** Ports of a cluster; `backend` may wrap the nodes. */
export const portsOf =
  (simulated: SimulatedNodes, backend: NodeBackend = simulated) =>
  (now: () => Snapshot): NodePorts => ({
    backend,
    fence: simulated,
    masterHost: simulated.masterHost(() => now().cluster.master_node),
  });

export const threeNodes: NewCluster = {
  name: "cluster.example.com",
  nodes: [1, 2, 3].map((at) => ({
    name: `node${at}.example.com`,
    primary_ip: `192.0.2.${at}`,
  })),
  hypervisors: ["fake"],
};

export const basics = { resolver, clock: systemClock, random: secureRandom };

interface Opened {
  readonly cluster: Cluster;
  readonly nodes: SimulatedNodes;
  readonly stores: ClusterStores;
}

export async function aCluster(ports: Partial<ClusterPorts> = {}): Promise<Opened> {
  const nodes = await simulatedNodes();
  const stores = memoryStores({ clock: systemClock });
  await createCluster(threeNodes, { ...basics, nodes: portsOf(nodes), store: stores.config });
  return {
    cluster: await openCluster({ ...basics, nodes: portsOf(nodes), stores, ...ports }),
    nodes,
    stores,
  };
}

export const creation = (name: string, more: JsonObject = {}): JsonObject =>
  creationOf(name, { hypervisor: "fake", iallocator: "hail", ...more });
