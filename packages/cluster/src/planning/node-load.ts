/** Load of a node as the placement core counts it. */
import { type Cluster, nodeFigures } from "@ganeti-ts/htools";

/** Sizes in MiB; instances that are only reserved count too. */
export interface NodeLoad {
  readonly name: string;
  readonly group: string;
  /** Offline, drained or not vm-capable: it takes no new instance. */
  readonly offline: boolean;
  /** Not enough memory for the failure of the worst of its peers. */
  readonly failsN1: boolean;
  readonly memoryTotalMib: number;
  /** Not allocated, whether instances run or not; may be negative. 0 for a node without figures. */
  readonly memoryFreeMib: number;
  /** Memory needed here if the worst of its peers fails. */
  readonly memoryReservedMib: number;
  readonly diskTotalMib: number;
  readonly diskFreeMib: number;
  readonly vcpusUsed: number;
  /** Number that the group's policy allows. */
  readonly vcpusMax: number;
  readonly primaryCount: number;
  readonly secondaryCount: number;
}

/** O(1), and O(instances of the node) for the counts. */
export function nodeLoad(cluster: Cluster, node: number): NodeLoad {
  const figures = nodeFigures(cluster, node);
  const { name, offline, failsN1, memoryTotalMib, memoryUnallocatedMib } = figures;
  return {
    ...{ name, offline, failsN1, memoryTotalMib },
    group: cluster.data.groups[cluster.data.nodes[node]?.groupIndex ?? -1]?.name ?? "",
    // With KVM a fixed amount is set aside for each node, also where nothing is known of it.
    memoryFreeMib: memoryTotalMib > 0 ? memoryUnallocatedMib : 0,
    memoryReservedMib: figures.memoryReservedMib,
    diskTotalMib: figures.diskTotalMib,
    diskFreeMib: figures.diskFreeMib,
    vcpusUsed: figures.vcpusUsed,
    vcpusMax: figures.vcpusMax,
    primaryCount: figures.primaries.length,
    secondaryCount: figures.secondaries.length,
  };
}
