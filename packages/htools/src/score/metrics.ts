/** Components of the cluster score: the measurement on one node, and how it is summed up. */
import type { Cluster } from "../model/cluster.js";
import { lengthOf } from "../model/index-list.js";
import { field, rowLength } from "../model/node-columns.js";

/**
 * deviation: population standard deviation over the online nodes; sum: over the online nodes;
 * sumOffline: over the offline ones; pairs: see `PairCounts`.
 */
type Statistic = "deviation" | "sum" | "sumOffline" | "pairs";

/** One term of the cluster score. */
export interface Component {
  readonly name: string;
  readonly weight: number;
  readonly statistic: Statistic;
}

const component = (name: string, weight: number, statistic: Statistic): Component => ({
  name,
  weight,
  statistic,
});

/** In order of addition, which decides the last bits of a score. */
export const components: readonly Component[] = [
  component("free_mem_cv", 0.5, "deviation"),
  component("free_disk_cv", 0.5, "deviation"),
  component("n1_cnt", 1, "sum"),
  component("reserved_mem_cv", 1, "deviation"),
  component("offline_all_cnt", 4, "sumOffline"),
  component("offline_pri_cnt", 16, "sumOffline"),
  component("vcpu_ratio_cv", 0.5, "deviation"),
  component("cpu_load_cv", 1, "deviation"),
  component("mem_load_cv", 1, "deviation"),
  component("disk_load_cv", 1, "deviation"),
  component("net_load_cv", 1, "deviation"),
  component("pri_tags_score", 2, "sum"),
  component("spindles_cv", 0.5, "deviation"),
  component("free_mem_cv_forth", 0.5, "deviation"),
  component("free_disk_cv_forth", 0.5, "deviation"),
  component("vcpu_ratio_cv_forth", 0.5, "deviation"),
  component("spindles_cv_forth", 0.5, "deviation"),
  component("location_score", 1, "sum"),
  component("location_exclusion_score", 1, "pairs"),
  component("reserved_mem_rtotal", 0.25, "sum"),
];

export const componentCount = components.length;
export const weights: readonly number[] = components.map(({ weight }) => weight);

/** Positions in `components` that code refers to. */
export const at = {
  memoryFree: 0,
  diskFree: 1,
  n1: 2,
  reserved: 3,
  offlineAll: 4,
  offlinePrimary: 5,
  vcpus: 6,
  loadCpu: 7,
  loadMemory: 8,
  loadDisk: 9,
  loadNetwork: 10,
  tags: 11,
  spindles: 12,
  memoryFreePlanned: 13,
  diskFreePlanned: 14,
  vcpusPlanned: 15,
  spindlesPlanned: 16,
  location: 17,
  locationPairs: 18,
  reservedTotal: 19,
} as const;

export const deviations: readonly number[] = positionsOf("deviation");
export const sums: readonly number[] = positionsOf("sum");

function positionsOf(statistic: Statistic): number[] {
  const positions: number[] = [];
  for (const [index, entry] of components.entries()) {
    if (entry.statistic === statistic) positions.push(index);
  }
  return positions;
}

/** Measurement of each component on one node, in the order of `components`. */
export type Measures = readonly number[];

/**
 * Measures a node; `pairs` stays 0.
 * A node without memory, CPUs or spindles gives NaN or infinity, as in Ganeti.
 */
export function measureNode(cluster: Cluster, node: number): Measures {
  const { rows, facts } = cluster;
  const row = node * rowLength;
  const memoryTotal = facts.memoryTotal[node] as number;
  const cpuTotal = facts.cpuTotal[node] as number;
  const cpuSpeed = facts.cpuSpeed[node] as number;
  const spindlesMax = facts.spindlesMax[node] as number;
  const reserved = (rows[row + field.memoryReserved] as number) / memoryTotal;
  const primaries = lengthOf(cluster.primaries[node]);
  const placed = primaries + lengthOf(cluster.secondaries[node]);
  return [
    (rows[row + field.memoryUnallocated] as number) / memoryTotal,
    diskFreeRatio(cluster, node, field.diskFree, field.spindlesFree),
    rows[row + field.failsN1] === 1 ? placed : 0,
    reserved,
    placed,
    primaries,
    (rows[row + field.vcpusUsed] as number) / cpuTotal / cpuSpeed,
    rows[row + field.loadCpu] as number,
    rows[row + field.loadMemory] as number,
    rows[row + field.loadDisk] as number,
    rows[row + field.loadNetwork] as number,
    rows[row + field.tagScore] as number,
    (rows[row + field.spindlesUsed] as number) / spindlesMax,
    (rows[row + field.memoryFreePlanned] as number) / memoryTotal,
    diskFreeRatio(cluster, node, field.diskFreePlanned, field.spindlesFreePlanned),
    (rows[row + field.vcpusUsedPlanned] as number) / cpuTotal / cpuSpeed,
    (rows[row + field.spindlesUsedPlanned] as number) / spindlesMax,
    rows[row + field.locationScore] as number,
    0,
    reserved,
  ];
}

/**
 * Free share of the resource that limits disks: spindles with exclusive storage, else space; 1 without a
 * limit.
 */
export function diskFreeRatio(
  cluster: Cluster,
  node: number,
  diskColumn: number,
  spindleColumn: number,
): number {
  const { exclusiveStorage, spindleTotal, diskTotal } = cluster.facts;
  const exclusive = exclusiveStorage[node] === 1;
  const total = (exclusive ? spindleTotal[node] : diskTotal[node]) as number;
  if (total === 0) return 1;
  return cluster.get(node, exclusive ? spindleColumn : diskColumn) / total;
}
