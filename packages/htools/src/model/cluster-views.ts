/** Parts of a cluster: one group, the nodes that fail N+1, instances that span two groups. */
import type { Cluster } from "./cluster.js";
import { toArray } from "./index-list.js";
import { field } from "./node-columns.js";

/** Positions, in index order. */
export interface ClusterView {
  readonly nodes: readonly number[];
  readonly instances: readonly number[];
}

/**
 * The nodes of a group, and the instances, including forthcoming ones, whose primary is currently one of
 * them.
 */
export function groupView(cluster: Cluster, group: number): ClusterView {
  const { groupOf } = cluster.facts;
  const nodes = cluster.nodesByGroup[group] ?? [];
  const instances = cluster.primaryOf.flatMap((primary, index) =>
    groupOf[primary] === group ? [index] : [],
  );
  return { nodes, instances };
}

/** The online ones of these nodes that fail N+1, and the instances on them, each once. */
export function badItems(cluster: Cluster, nodes: readonly number[]): ClusterView {
  const { offline } = cluster.facts;
  const bad = nodes.filter((node) => offline[node] === 0 && cluster.get(node, field.failsN1) === 1);
  const instances = new Set(
    bad.flatMap((node) => [
      ...toArray(cluster.primaries[node]),
      ...toArray(cluster.secondaries[node]),
    ]),
  );
  return { nodes: bad, instances: [...instances].sort((a, b) => a - b) };
}

/** Instances whose primary and secondary are in different groups; they are never moved. */
export function splitInstances(cluster: Cluster): readonly number[] {
  const { groupOf } = cluster.facts;
  const split: number[] = [];
  cluster.secondaryOf.forEach((secondary, index) => {
    const primary = cluster.primaryOf[index] as number;
    if (secondary >= 0 && groupOf[primary] !== groupOf[secondary]) split.push(index);
  });
  return split;
}
