/** Figures of a simulated cluster, as the page shows them. */
import { type Cluster, loadCluster, nodeFigures, scoreOf } from "@ganeti-ts/htools";
import type { ClusterData } from "@ganeti-ts/protocol";

/** Figures of one node. Sizes in MiB. */
export interface NodeState {
  readonly name: string;
  /** Name without the suffix common to all nodes and instances. */
  readonly alias: string;
  readonly offline: boolean;
  readonly failsN1: boolean;
  readonly memoryTotal: number;
  /** Memory of instances and of the node's own system. */
  readonly memoryUsed: number;
  /** Memory kept for the failure of other nodes. */
  readonly memoryReserved: number;
  readonly diskTotal: number;
  readonly diskUsed: number;
  readonly vcpus: number;
  readonly vcpusMax: number;
  readonly primaries: number;
  readonly secondaries: number;
}

/** A node group with its nodes. */
export interface GroupState {
  readonly name: string;
  readonly allocationPolicy: string;
  readonly vcpuRatio: number;
  readonly spindleRatio: number;
  /** As `hbal` computes it: lower is better. */
  readonly score: number;
  readonly nodes: readonly NodeState[];
}

/** The whole cluster. */
export interface ClusterState {
  readonly groups: readonly GroupState[];
  readonly nodeCount: number;
  readonly instanceCount: number;
  readonly failing: number;
}

/** Cost: O(nodes + instances). */
export function clusterState(data: ClusterData): ClusterState {
  const cluster = loadCluster(data);
  const groups = data.groups.map((group, at) => {
    const indices = cluster.nodesByGroup[at] ?? [];
    return {
      name: group.name,
      allocationPolicy: group.allocationPolicy,
      vcpuRatio: group.policy.vcpuRatio,
      spindleRatio: group.policy.spindleRatio,
      score: indices.length === 0 ? 0 : scoreOf(cluster, indices),
      nodes: indices.map((index) => nodeState(cluster, index)),
    };
  });
  return {
    groups,
    nodeCount: data.nodes.length,
    instanceCount: data.instances.length,
    failing: groups.flatMap(({ nodes }) => nodes).filter(({ failsN1 }) => failsN1).length,
  };
}

function nodeState(cluster: Cluster, index: number): NodeState {
  const figures = nodeFigures(cluster, index);
  const { name, alias, offline, failsN1, memoryTotalMib, diskTotalMib } = figures;
  return {
    ...{ name, alias, offline, failsN1: failsN1 && !offline },
    memoryTotal: memoryTotalMib,
    memoryUsed: memoryTotalMib - figures.memoryUnallocatedMib,
    memoryReserved: figures.memoryReservedMib,
    diskTotal: diskTotalMib,
    diskUsed: diskTotalMib - figures.diskFreeMib,
    vcpus: figures.vcpusUsed,
    vcpusMax: figures.vcpusMax,
    primaries: figures.primaries.length,
    secondaries: figures.secondaries.length,
  };
}
