/** Suggestions about nodes: more of a scarce resource, a drained node made available, or further nodes. */
import type { AllocationChange, NodeData } from "@ganeti-ts/protocol";
import type { Cluster } from "../model/cluster.js";
import type { InParts } from "../parts.js";
import type { ChangeTrials } from "./change-trials.js";
import type { Problem } from "./problem.js";
import type { Shortage } from "./shortages.js";

/** Maximum number of nodes tried for each resource, smallest shortage first. */
const nodesMax = 8;
const newNodesMax = 3;

export function* suggestExtensions(
  trials: ChangeTrials,
  { cluster, shortages }: Problem,
): InParts<AllocationChange[]> {
  const found: Extract<AllocationChange, { kind: "extend-node" }>[] = [];
  const perResource = new Map<Shortage["resource"], number>();
  for (const { node, resource, amounts } of shortages) {
    const tried = perResource.get(resource) ?? 0;
    if (tried >= nodesMax || !trials.hasTime) continue;
    perResource.set(resource, tried + 1);
    const extend = (by: number) => ({ kind: "extend-node", node, resource, by }) as const;
    const ceiling = plenty(cluster, resource, amounts);
    const amount = yield* trials.smallest((by) => [extend(by)], amounts, ceiling);
    if (amount !== undefined) found.push(extend(amount));
  }
  return found;
}

/** An amount so large that the resource is certainly not short. */
function plenty(
  cluster: Cluster,
  resource: Shortage["resource"],
  amounts: readonly number[],
): number {
  const most = Math.max(1, ...amounts);
  const { instances } = cluster.data;
  if (resource === "memory")
    return most + instances.reduce((sum, { memoryMib }) => sum + memoryMib, 0);
  if (resource === "disk") return 2 * most;
  return 4 * most + 64;
}

export function suggestReturns(
  trials: ChangeTrials,
  { cluster }: Problem,
): InParts<AllocationChange[]> {
  const away = cluster.data.nodes.filter(
    ({ offline, memoryTotalMib }) => offline && memoryTotalMib > 0,
  );
  return trials.helping(
    away.slice(0, nodesMax).map(({ name }) => ({ kind: "return-node", node: name })),
  );
}

/** New nodes like the largest node of each group. */
export function* suggestNewNodes(
  trials: ChangeTrials,
  { cluster }: Problem,
): InParts<AllocationChange[]> {
  const found: AllocationChange[] = [];
  for (const group of cluster.nodesByGroup) {
    const nodes = group.map((node) => cluster.data.nodes[node] as NodeData);
    const [largest] = nodes
      .filter(({ memoryTotalMib }) => memoryTotalMib > 0)
      .sort((a, b) => b.memoryTotalMib - a.memoryTotalMib || b.diskTotalMib - a.diskTotalMib);
    if (largest === undefined || !trials.hasTime) continue;
    for (let by = 1; by <= newNodesMax; by++) {
      const change: AllocationChange = { kind: "add-nodes", like: largest.name, by };
      if (!(yield* trials.succeeds([change]))) continue;
      found.push(change);
      break;
    }
  }
  return found;
}
