/** Total and used resources of a cluster, summed over all nodes, including offline ones. */
import type { Cluster } from "../model/cluster.js";
import { lengthOf } from "../model/index-list.js";
import { field } from "../model/node-columns.js";
import { scoreOf } from "../score/score-board.js";

/** Memory and disk in MiB. */
export interface ClusterStatistics {
  readonly score: number;
  /** Number of primaries, without forthcoming instances. */
  readonly instances: number;
  readonly memoryTotal: number;
  readonly memoryFree: number;
  /** Free memory without that reserved for the failure of another node. */
  readonly memoryAvailable: number;
  readonly memoryInstances: number;
  /** Memory used by the nodes themselves, and memory not accounted for. */
  readonly memoryOverhead: number;
  readonly diskTotal: number;
  readonly diskFree: number;
  /** Free disk without the share that must stay free. */
  readonly diskAvailable: number;
  readonly diskInstances: number;
  readonly spindlesTotal: number;
  readonly spindlesFree: number;
  readonly spindlesUsed: number;
  readonly cpus: number;
  /** vCPUs that the policies allow on these CPUs. */
  readonly vcpus: number;
  readonly vcpusUsed: number;
  /** CPUs equivalent to the used vCPUs by the policies' ratios. */
  readonly cpusUsed: number;
  /** The maximum on any one node. */
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

/** Sums in index order, which determines the last bits. */
function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
