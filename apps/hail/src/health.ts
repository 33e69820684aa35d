/** Health of a node group: the problems of its nodes. */
import {
  badItems,
  type Cluster,
  groupView,
  nodeFigures,
  scoreOf,
  stuckNodes,
} from "@ganeti-ts/htools";

/** Positions of nodes unless stated otherwise. */
export interface GroupHealth {
  /** The group's position. */
  readonly group: number;
  readonly failingN1: readonly number[];
  /** Nodes with several primaries of the same exclusion tag. */
  readonly conflicting: readonly number[];
  readonly offline: readonly number[];
  /** Number of instances whose primary is offline. */
  readonly offlinePrimaries: number;
  /** Nodes whose instances could not all be placed elsewhere; undefined if this was not checked. */
  readonly stuck: readonly number[] | undefined;
  readonly score: number;
}

/** The health of each group that has nodes. */
export function groupHealths(cluster: Cluster, capacityChecks: boolean): GroupHealth[] {
  return cluster.data.groups.flatMap((_, group) => {
    const { nodes } = groupView(cluster, group);
    if (nodes.length === 0) return [];
    const figures = nodes.map((node) => ({ node, ...nodeFigures(cluster, node) }));
    const offline = figures.filter((one) => one.offline);
    return {
      group,
      failingN1: badItems(cluster, nodes).nodes,
      conflicting: figures
        .filter(({ primaryTags }) => primaryTags.some(([, count]) => count > 1))
        .map(({ node }) => node),
      offline: offline.map(({ node }) => node),
      offlinePrimaries: offline.reduce((sum, { primaries }) => sum + primaries.length, 0),
      stuck: capacityChecks ? stuckNodes(cluster, nodes) : undefined,
      score: scoreOf(cluster, nodes),
    };
  });
}

/** Ganeti's figures, in its order; the figure for offline secondaries counts offline nodes, as in Ganeti. */
export const countsOf = (health: GroupHealth): number[] => [
  health.failingN1.length,
  health.conflicting.length,
  health.offlinePrimaries,
  health.offline.length,
  ...(health.stuck === undefined ? [] : [health.stuck.length]),
];

/** Sums over the groups; empty if there are no groups. */
export function clusterCounts(healths: readonly GroupHealth[]): number[] {
  const [first, ...rest] = healths.map(countsOf);
  if (first === undefined) return [];
  return first.map((count, at) =>
    rest.reduce((sum, counts) => sum + (counts[at] as number), count),
  );
}

export const isHealthy = (healths: readonly GroupHealth[]): boolean =>
  clusterCounts(healths).every((count) => count === 0);
