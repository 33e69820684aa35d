// Test cluster with simulated nodes, on which effects of opcodes can be observed.
import { systemClock } from "@ganeti-ts/protocol";
import { SimulatedNodes, type SimulatedNodesOptions } from "@ganeti-ts/simulated-nodes";
import { type ClusterOptions, type TestCluster, testCluster } from "./cluster.js";

export interface SimulatedCluster extends TestCluster {
  readonly simulated: SimulatedNodes;
}

/** Nodes node1, node2, … with 8 GiB of memory and a volume group `xenvg` of two physical volumes. */
export async function simulatedCluster(
  { nodeCount = 3, ...more }: ClusterOptions = {},
  options: Partial<SimulatedNodesOptions> = {},
): Promise<SimulatedCluster> {
  const hosts = Array.from({ length: nodeCount }, (_, at) => ({
    name: `node${at + 1}.example.com`,
    memoryTotalMib: 8192,
    volumeGroups: { xenvg: { "/dev/sda": 20000, "/dev/sdb": 10000 } },
  }));
  const clock = more.clock ?? systemClock;
  const simulated = await SimulatedNodes.open({ clock, hosts, ...options });
  const cluster = await testCluster(simulated, { nodeCount, ...more });
  for (const { uuid, name, primary_ip } of cluster.config.snapshot.nodes()) {
    await simulated.introduce({ uuid, name, primaryIp: primary_ip, secondaryIp: primary_ip });
  }
  return { ...cluster, simulated };
}
