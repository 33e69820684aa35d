// Test cluster with simulated nodes: volumes, mirrors and running instances.

import { type ConfigStore, createMemoryStore } from "@ganeti-ts/config";
import type { MasterHost, NodeBackend } from "@ganeti-ts/node-calls";
import { systemClock } from "@ganeti-ts/protocol";
import {
  type Durations,
  type HostSpecification,
  keptStates,
  noDurations,
  SimulatedNodes,
} from "@ganeti-ts/simulated-nodes";
import { type ClusterOptions, type TestCluster, testCluster } from "./cluster.js";

export interface SimulatedCluster extends TestCluster {
  readonly simulated: SimulatedNodes;
  /** Names of the logical volumes on a node. */
  volumesOn(node: number): readonly string[];
  /** Instances of a node's hypervisor. */
  runningOn(node: number): readonly string[];
}

export interface SimulatedOptions extends ClusterOptions {
  readonly host?: Partial<HostSpecification>;
  readonly durations?: Durations;
  /** Existing nodes to use. */
  readonly simulated?: SimulatedNodes;
  /** Wraps the nodes as seen by the units. */
  readonly between?: (nodes: NodeBackend) => NodeBackend;
  /** Wraps the machine of the server as seen by the units. */
  readonly betweenHost?: (host: MasterHost) => MasterHost;
}

export async function simulatedCluster({
  host = {},
  between = (nodes) => nodes,
  betweenHost = (host) => host,
  simulated: given,
  durations = noDurations,
  ...options
}: SimulatedOptions = {}): Promise<SimulatedCluster> {
  const simulated = given ?? (await simulatedNodes(host, options, durations));
  const cluster = await testCluster(
    {
      ...nodesOf(between(simulated)),
      masterHost: (master) => betweenHost(simulated.masterHost(master)),
    },
    options,
  );
  const state = (node: number) => {
    const found = simulated.stateOf(cluster.nodes[node - 1] ?? "");
    if (found === undefined) throw new Error(`no node ${node}`);
    return found;
  };
  return {
    ...cluster,
    simulated,
    volumesOn: (node) => Object.keys(state(node).volumeGroups.xenvg?.volumes ?? {}),
    runningOn: (node) => Object.keys(state(node).instances),
  };
}

const nodesOf = (nodes: NodeBackend): NodeBackend => ({
  introduce: (node) => nodes.introduce(node),
  call: (node, name, args, caller) => nodes.call(node, name, args, caller),
});

/** Nodes and configuration, which outlive servers. */
export interface Ground {
  readonly store: ConfigStore;
  readonly simulated: SimulatedNodes;
}

/** Returns a function that makes copies of the present ground of a cluster, without the faults injected into its calls. */
export async function copiesOf(
  { simulated, nodes }: SimulatedCluster,
  store: ConfigStore,
): Promise<() => Promise<Ground>> {
  const { serial, rows: loaded } = await store.load();
  const rows = [...loaded];
  const hosts = nodes.map((node) => simulated.stateOf(node));
  const texts = new Map(hosts.map((host) => [host?.name ?? "", JSON.stringify(host)]));
  texts.set("", JSON.stringify(simulated.sharedState));
  return async () => {
    const copy = createMemoryStore();
    await copy.commit({ expectedSerial: 0, serial, rows });
    const begin = keptStates(texts);
    return {
      store: copy,
      simulated: await SimulatedNodes.open({ clock: systemClock, hosts: [], begin }),
    };
  };
}

/** Simulated nodes with the default names of a test cluster. */
export const simulatedNodes = (
  host: Partial<HostSpecification>,
  { nodeCount = 2, clock = systemClock }: ClusterOptions,
  durations: Durations = noDurations,
): Promise<SimulatedNodes> =>
  SimulatedNodes.open({
    clock,
    durations,
    hosts: Array.from({ length: nodeCount }, (_, at) => ({
      name: `node${at + 1}.example.com`,
      ...host,
    })),
  });
