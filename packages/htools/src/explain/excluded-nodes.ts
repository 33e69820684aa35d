/** Nodes of a group that are not candidates, each with the reason. */
import type { NodeLeftOut } from "@ganeti-ts/protocol";
import type { Cluster } from "../model/cluster.js";
import { nodeName } from "./refusal.js";

/** @param otherwise the reason for excluded nodes that are online */
export function leftOut(
  cluster: Cluster,
  group: number,
  candidates: readonly number[],
  otherwise: (node: number) => string,
): NodeLeftOut[] {
  const taken = new Set(candidates);
  return (cluster.nodesByGroup[group] as readonly number[])
    .filter((node) => !taken.has(node))
    .map((node) => ({
      node: nodeName(cluster, node),
      reason: away(cluster, node) ?? otherwise(node),
    }));
}

/** A drained node still reports its resources. */
function away({ data, facts }: Cluster, node: number): string | undefined {
  if (facts.offline[node] === 0) return undefined;
  return (data.nodes[node]?.memoryTotalMib ?? 0) > 0 ? "drained" : "offline";
}
