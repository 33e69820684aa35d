/** A cluster in memory with three simulated nodes without delays. */
import type { Snapshot } from "@ganeti-ts/config";
import type { NodeBackend, Resolver } from "@ganeti-ts/node-calls";
import { type Clock, type JsonObject, secureRandom, systemClock } from "@ganeti-ts/protocol";
import { type Durations, noDurations, noopOs, SimulatedNodes } from "@ganeti-ts/simulated-nodes";
import { creationOf } from "@ganeti-ts/testkit/configuration";
import { onTestFinished } from "vitest";
import {
  type Cluster,
  type ClusterPorts,
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

/** Simulated nodes on a clock, and stores with a cluster of three of them. */
export async function madeOn(clock: Clock) {
  const nodes = await simulatedNodes(clock);
  const stores = memoryStores({ clock });
  const made = { ...basics, clock, nodes: portsOf(nodes), store: stores.config };
  await createCluster(threeNodes, made);
  return { nodes, stores };
}

/** Nodes whose calls go through `call`. */
export const interposed = (nodes: NodeBackend, call: NodeBackend["call"]): NodeBackend => ({
  introduce: (node) => nodes.introduce(node),
  call,
});

/** Closes the cluster when the test has finished. */
export function closing(cluster: Cluster): Cluster {
  onTestFinished(() => cluster.close());
  return cluster;
}

/** A cluster that closes when the test has finished. */
export async function aCluster(ports: Partial<ClusterPorts> = {}) {
  const { nodes, stores } = await madeOn(systemClock);
  const cluster = await openCluster({ ...basics, nodes: portsOf(nodes), stores, ...ports });
  return { cluster: closing(cluster), nodes, stores };
}

export const creation = (name: string, more: JsonObject = {}): JsonObject =>
  creationOf(name, { hypervisor: "fake", iallocator: "hail", ...more });
