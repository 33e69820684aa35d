/** Figures of a node and its instances, for tables and dumps. */
import type { InstanceData } from "@ganeti-ts/protocol";
import type { Cluster, Counts } from "../model/cluster.js";
import { toArray } from "../model/index-list.js";
import { field } from "../model/node-columns.js";
import type { PeerMap } from "../model/peer-map.js";
import { diskFreeRatio } from "../score/metrics.js";

/** Forthcoming instances count only in `primaryTags`. Sizes in MiB; ratios are shares of the total. */
export interface NodeFigures {
  readonly name: string;
  /** The name without the suffix common to all nodes and instances. */
  readonly alias: string;
  readonly offline: boolean;
  readonly failsN1: boolean;
  readonly memoryTotalMib: number;
  readonly memoryNodeMib: number;
  readonly memoryInstancesMib: number;
  /** Memory not accounted for; may be negative. */
  readonly memoryMissingMib: number;
  /** As reported; placements do not change it. */
  readonly memoryFreeMib: number;
  readonly memoryUnallocatedMib: number;
  readonly memoryReservedMib: number;
  readonly diskTotalMib: number;
  readonly diskFreeMib: number;
  readonly cpuTotal: number;
  /** Including those of the node's own system. */
  readonly vcpusUsed: number;
  /** Number allowed by the ratio of its group's policy. */
  readonly vcpusMax: number;
  /** Indices, newest first. */
  readonly primaries: readonly number[];
  readonly secondaries: readonly number[];
  readonly memoryFreeRatio: number;
  readonly diskFreeRatio: number;
  readonly vcpuRatio: number;
  /** The maximum ratio. */
  readonly vcpuRatioMax: number;
  readonly loads: {
    readonly cpu: number;
    readonly memory: number;
    readonly disk: number;
    readonly network: number;
  };
  /** Exclusion tags of the primaries, with the number of occurrences. */
  readonly primaryTags: readonly (readonly [tag: string, count: number])[];
  /** Memory reserved for the failure of other nodes, most first. */
  readonly peers: readonly (readonly [node: number, mib: number])[];
  readonly spindleTotal: number;
  readonly spindlesFree: number;
  readonly spindlesMax: number;
  readonly spindlesUsed: number;
}

/** Figures of a node as the programs print them. */
export function nodeFigures(cluster: Cluster, node: number): NodeFigures {
  const { facts } = cluster;
  const data = cluster.data.nodes[node] as (typeof cluster.data.nodes)[number];
  const memoryTotalMib = facts.memoryTotal[node] as number;
  const cpuTotal = facts.cpuTotal[node] as number;
  const memoryUnallocatedMib = cluster.get(node, field.memoryUnallocated);
  const vcpusUsed = cluster.get(node, field.vcpusUsed);
  return {
    name: data.name,
    alias: data.name.slice(0, data.name.length - cluster.commonSuffixLength),
    offline: facts.offline[node] === 1,
    failsN1: cluster.get(node, field.failsN1) === 1,
    memoryTotalMib,
    memoryNodeMib: facts.memoryNode[node] as number,
    memoryInstancesMib: (facts.memoryUsable[node] as number) - memoryUnallocatedMib,
    memoryMissingMib: facts.memoryMissing[node] as number,
    memoryFreeMib: data.memoryFreeMib,
    memoryUnallocatedMib,
    memoryReservedMib: cluster.get(node, field.memoryReserved),
    diskTotalMib: facts.diskTotal[node] as number,
    diskFreeMib: cluster.get(node, field.diskFree),
    cpuTotal,
    vcpusUsed,
    vcpusMax: (facts.vcpuRatio[node] as number) * cpuTotal,
    primaries: toArray(cluster.primaries[node]),
    secondaries: toArray(cluster.secondaries[node]),
    memoryFreeRatio: memoryUnallocatedMib / memoryTotalMib,
    diskFreeRatio: diskFreeRatio(cluster, node, field.diskFree, field.spindlesFree),
    vcpuRatio: vcpusUsed / cpuTotal,
    vcpuRatioMax: facts.vcpuRatio[node] as number,
    loads: {
      cpu: cluster.get(node, field.loadCpu),
      memory: cluster.get(node, field.loadMemory),
      disk: cluster.get(node, field.loadDisk),
      network: cluster.get(node, field.loadNetwork),
    },
    primaryTags: [...(cluster.exclusionTags[node] as Counts)],
    peers: (cluster.peers[node] as PeerMap).map(({ node: peer, mib }) => [peer, mib] as const),
    spindleTotal: facts.spindleTotal[node] as number,
    spindlesFree: cluster.get(node, field.spindlesFree),
    spindlesMax: facts.spindlesMax[node] as number,
    spindlesUsed: cluster.get(node, field.spindlesUsed),
  };
}

/** An instance in its present state; the nodes in `data` are those it was loaded with. */
interface InstanceFigures {
  readonly data: InstanceData;
  readonly primary: number;
  readonly secondary: number;
}

/** Figures of an instance as the programs print them. */
export function instanceFigures(cluster: Cluster, index: number): InstanceFigures {
  const instance = cluster.instances[index] as (typeof cluster.instances)[number];
  return {
    data: instance.data,
    primary: cluster.primaryOf[index] as number,
    secondary: cluster.secondaryOf[index] as number,
  };
}

/** Replaces the assumed CPU load of nodes and instances by measured ones. */
export function setCpuLoads(
  cluster: Cluster,
  nodeLoads: readonly number[],
  instanceLoads: readonly number[],
): void {
  for (const [node, load] of nodeLoads.entries()) cluster.set(node, field.loadCpu, load);
  for (const [index, load] of instanceLoads.entries()) {
    const instance = cluster.instances[index] as (typeof cluster.instances)[number];
    cluster.instances[index] = { ...instance, load: { ...instance.load, cpu: load } };
  }
}
