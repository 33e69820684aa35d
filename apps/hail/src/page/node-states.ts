/** State of the nodes for a page: utilisation and problems. */
import { type Cluster, nodeFigures } from "@ganeti-ts/htools";

export interface NodeState {
  readonly name: string;
  readonly group: string;
  readonly offline: boolean;
  /** Whether the node lacks the memory that the failure of another node would require. */
  readonly failsN1: boolean;
  readonly primaries: number;
  readonly secondaries: number;
  /** Memory and disk in MiB, CPUs in vCPUs; the vCPU total is what the policy allows. */
  readonly memory: Share;
  readonly disk: Share;
  readonly cpu: Share;
}

export interface Share {
  readonly used: number;
  readonly total: number;
}

/** A snapshot, unaffected by later changes of the cluster. */
export function nodeStates(cluster: Cluster, nodes: readonly number[]): NodeState[] {
  const { data } = cluster;
  return nodes.map((node) => {
    const figures = nodeFigures(cluster, node);
    const group = data.groups[data.nodes[node]?.groupIndex ?? -1];
    return {
      name: figures.alias,
      group: group?.name ?? "",
      offline: figures.offline,
      failsN1: figures.failsN1,
      primaries: figures.primaries.length,
      secondaries: figures.secondaries.length,
      memory: share(figures.memoryUnallocatedMib, figures.memoryTotalMib),
      disk: share(figures.diskFreeMib, figures.diskTotalMib),
      cpu: { used: figures.vcpusUsed, total: figures.vcpusMax },
    };
  });
}

const share = (free: number, total: number): Share => ({ used: total - free, total });
