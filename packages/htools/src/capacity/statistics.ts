/** What a cluster has, and what is used of it, summed over all nodes, offline ones too. */
import type { Cluster } from "../model/cluster.js";
import { lengthOf } from "../model/index-list.js";
import { field } from "../model/node-columns.js";
import { scoreOf } from "../score/score-board.js";

/** Memory and disk in MiB. */
export interface ClusterStatistics {
  readonly score: number;
  /** Primaries; reservations are not counted. */
  readonly instances: number;
  readonly memoryTotal: number;
  readonly memoryFree: number;
  /** Free beyond what is kept for the failure of another node. */
  readonly memoryAvailable: number;
  readonly memoryInstances: number;
  /** Used by the nodes themselves, or by nobody knows what. */
  readonly memoryOverhead: number;
  readonly diskTotal: number;
  readonly diskFree: number;
  /** Free beyond what is to be left free. */
  readonly diskAvailable: number;
  readonly diskInstances: number;
  readonly spindlesTotal: number;
  readonly spindlesFree: number;
  readonly spindlesUsed: number;
  readonly cpus: number;
  /** As many as the policies allow on these CPUs. */
  readonly vcpus: number;
  readonly vcpusUsed: number;
  /** CPUs that the used vCPUs come to by the policies' ratios. */
  readonly cpusUsed: number;
  /** The most on any one node. */
  readonly memoryAvailableMost: number;
  readonly diskAvailableMost: number;
}

/** Source: Ganeti, HTools/Cluster.hs (`totalResources`). Cost: O(nodes). */
export function clusterStatistics(cluster: Cluster): ClusterStatistics {
  const { facts, nodeCount } = cluster;
  const nodes = Array.from({ length: nodeCount }, (_, node) => node);
  const of = (value: (node: number) => number): number[] => nodes.map(value);
  const column = (which: number) => of((node) => cluster.get(node, which));
  const free = column(field.memoryUnallocated);
  const available = of((node) =>
    Math.max(0, (free[node] as number) - cluster.get(node, field.memoryReserved)),
  );
  const diskFree = column(field.diskFree);
  const diskAvailable = of((node) =>
    Math.max(0, (diskFree[node] as number) - (facts.diskLow[node] as number)),
  );
  const spindlesFree = column(field.spindlesFree);
  const vcpusUsed = column(field.vcpusUsed);
  return {
    score: scoreOf(cluster, nodes),
    instances: sum(of((node) => lengthOf(cluster.primaries[node]))),
    memoryTotal: sum(facts.memoryTotal),
    memoryFree: sum(free),
    memoryAvailable: sum(available),
    memoryInstances: sum(
      of((node) => (facts.memoryUsable[node] as number) - (free[node] as number)),
    ),
    memoryOverhead: sum(facts.memoryMissing) + sum(facts.memoryNode),
    diskTotal: sum(facts.diskTotal),
    diskFree: sum(diskFree),
    diskAvailable: sum(diskAvailable),
    diskInstances: sum(
      of((node) => Math.trunc(facts.diskTotal[node] as number) - (diskFree[node] as number)),
    ),
    spindlesTotal: sum(facts.spindleTotal),
    spindlesFree: sum(spindlesFree),
    spindlesUsed: sum(
      of((node) => (facts.spindleTotal[node] as number) - (spindlesFree[node] as number)),
    ),
    cpus: sum(facts.cpuTotal),
    vcpus: sum(
      of((node) =>
        Math.floor((facts.vcpuRatio[node] as number) * (facts.cpuTotal[node] as number)),
      ),
    ),
    vcpusUsed: sum(vcpusUsed),
    cpusUsed: sum(of((node) => (vcpusUsed[node] as number) / (facts.vcpuRatio[node] as number))),
    memoryAvailableMost: Math.max(0, ...available),
    diskAvailableMost: Math.max(0, ...diskAvailable),
  };
}

/** In index order: the order shows in the last bits. */
function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
