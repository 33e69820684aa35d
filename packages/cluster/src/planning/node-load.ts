/** NodeLoad: load of a node according to the placement core. */
import { type Cluster, nodeFigures } from "@ganeti-ts/htools";

/** Load of a node in MiB; reserved instances count too. */
export interface NodeLoad {
  readonly name: string;
  readonly group: string;
  /** Whether the node is offline, drained or not vm-capable, so that it gets no new instances. */
  readonly offline: boolean;
  /** Whether its memory is insufficient for the failure of the peer that would need the most. */
  readonly failsN1: boolean;
  readonly memoryTotalMib: number;
  /** Memory not allocated to instances, whether they run or not; may be negative. 0 for a node without figures. */
  readonly memoryFreeMib: number;
  /** Memory needed here if the peer that would need the most fails. */
  readonly memoryReservedMib: number;
  readonly diskTotalMib: number;
  readonly diskFreeMib: number;
  readonly vcpusUsed: number;
  /** Maximum that the group's policy allows. */
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
    // With KVM a fixed amount is subtracted for each node, even for one without figures.
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
