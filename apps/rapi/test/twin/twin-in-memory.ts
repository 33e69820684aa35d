/** A twin in memory, and its cluster as Ganeti's htools read it over the local protocol. */

import { type Cluster, memoryStores, openCluster } from "@ganeti-ts/cluster";
import { loadCluster, writeClusterText } from "@ganeti-ts/htools";
import { decodeLuxiCluster, luxiClusterCalls, readLuxiReply } from "@ganeti-ts/luxi/calls";
import {
  type ClusterData,
  systemClock as clock,
  secureRandom as random,
} from "@ganeti-ts/protocol";
import { nodeStatesInMemory } from "@ganeti-ts/simulated-nodes";
import { makeTwin, type TwinOrigin } from "@ganeti-ts/twin";
import { simulation } from "../../src/program/simulation.js";

/** Works with the cluster of the twin, and closes it. */
export async function withTwin<Result>(
  origin: TwinOrigin,
  work: (cluster: Cluster) => Promise<Result>,
): Promise<Result> {
  const stores = memoryStores({ clock });
  const states = nodeStatesInMemory();
  await makeTwin({ ...stores, nodeStates: states }, origin, random);
  const cluster = await openCluster({ stores, clock, random, ...simulation({ states }) });
  try {
    return await work(cluster);
  } finally {
    await cluster.close();
  }
}

export async function readByLuxi({ objects }: Cluster): Promise<ClusterData> {
  const reply = (result: unknown) =>
    readLuxiReply(new TextEncoder().encode(JSON.stringify({ success: true, result })));
  const table = async ({ args }: { readonly args: readonly unknown[] }) =>
    reply(await objects.query(args[0] as never, args[1] as never, null));
  return decodeLuxiCluster({
    nodes: await table(luxiClusterCalls.nodes),
    instances: await table(luxiClusterCalls.instances),
    groups: await table(luxiClusterCalls.groups),
    info: reply(objects.info()),
  });
}

export const textOf = (data: ClusterData): string =>
  writeClusterText(loadCluster(data, { staticKvmNodeMemoryMib: 0 }));
