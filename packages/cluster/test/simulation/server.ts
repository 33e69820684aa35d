// One simulated server: a cluster opened with the ports of a process that may end.
import type { ConfigStore } from "@ganeti-ts/config";
import type { MemoryStore } from "@ganeti-ts/job-queue";
import { createLockManager, type LockStore } from "@ganeti-ts/locking";
import type { NodeBackend, Resolver } from "@ganeti-ts/node-calls";
import type { SimulatedNodes } from "@ganeti-ts/simulated-nodes";
import type { Dice } from "@ganeti-ts/testkit/simulation";
import {
  type Cluster,
  type ClusterLog,
  type ClusterPorts,
  openCluster,
  type WatcherOptions,
} from "../../src/index.js";
import {
  configStoreOf,
  fenceOf,
  filesOf,
  jobStoreOf,
  lockStoreOf,
  nodesOf,
  type Outside,
} from "./ports.js";
import { losingAddresses, losingDisks } from "./sabotage.js";

export interface ServerPorts extends Outside {
  readonly store: MemoryStore;
  readonly locks: LockStore;
  readonly configStore: ConfigStore;
  /** The nodes, with their calls observed. */
  readonly nodes: NodeBackend;
  readonly simulated: SimulatedNodes;
  readonly dice: Dice;
  readonly log: ClusterLog;
  readonly watcher: WatcherOptions;
  readonly distribution: ClusterPorts["distribution"];
  /** Whether placements use cached figures of nodes instead of calling all nodes. */
  readonly keepsFigures: boolean;
}

/** Every name resolves, and no address answers. */
export const resolver: Resolver = {
  resolve: async (name) => ({ ok: true, name, ip: "192.0.2.99" }),
  isAlive: async () => false,
};

export async function openServer(ports: ServerPorts): Promise<Cluster> {
  const { process, sabotage, store, simulated, dice, log, watcher, distribution } = ports;
  let configStore = ports.configStore;
  if (sabotage.losesDisks) configStore = losingDisks(configStore);
  if (sabotage.losesAddresses) configStore = losingAddresses(configStore);
  const cluster = await openCluster({
    ...{ clock: process, random: dice, resolver, log },
    stores: {
      jobs: jobStoreOf(store, ports),
      config: configStoreOf(configStore, ports),
      locks: createLockManager({
        store: lockStoreOf(ports.locks, store.claim, ports),
        clock: process,
      }),
    },
    nodes: (now) => ({
      backend: nodesOf(ports.nodes, ports),
      fence: fenceOf(simulated, ports),
      masterHost: simulated.masterHost(() => now().cluster.master_node),
    }),
    ...(!sabotage.noWatcher && { watcher }),
    ...(distribution && {
      distribution: { ...distribution, files: filesOf(distribution.files, ports) },
    }),
    ...(ports.keepsFigures && { nodeFigures: { ageMaxMs: 30_000 } }),
  });
  // The program takes some time to end.
  const endMs = dice.fraction() * 2000;
  void cluster.lost.then(() => process.after(endMs, () => process.die()));
  return cluster;
}
