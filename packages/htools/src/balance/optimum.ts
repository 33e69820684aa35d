/** Lower bound of the score for any balancing. */
import type { Cluster } from "../model/cluster.js";
import { at, weights } from "../score/metrics.js";

/**
 * Minimum cost of the N+1 reservations: the memory of all mirrored instances, spread evenly over all nodes
 * but the largest. 0 for fewer than two nodes. Source: Ganeti, HTools/Cluster/Metrics.hs, `optimalCVScore`.
 *
 * @param nodes online and offline
 */
export function optimum(cluster: Cluster, nodes: readonly number[]): number {
  if (nodes.length < 2) return 0;
  let reserved = 0;
  let total = 0;
  let largest = Number.NEGATIVE_INFINITY;
  for (const node of nodes) {
    const memory = cluster.facts.memoryTotal[node] as number;
    total += memory;
    if (memory > largest) largest = memory;
    for (const { mib } of cluster.peers[node] ?? []) reserved += mib;
  }
  const others = total - largest;
  if (!(others > 0)) return 0;
  return (weights[at.reservedTotal] as number) * (reserved / others - reserved / total);
}
