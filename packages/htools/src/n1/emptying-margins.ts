/** Computation of the margins of emptying nodes, for kept clusters. */
import type { Cluster } from "../model/cluster.js";
import type { EmptyingMargins } from "../model/emptying-margins.js";
import { field } from "../model/node-columns.js";

/** Margins of all nodes. O(nodes + instances). */
export function emptyingMargins(cluster: Cluster): EmptyingMargins {
  const { nodeCount } = cluster;
  const margins: EmptyingMargins = {
    decide: new Uint8Array(nodeCount),
    memoryLeft: new Float64Array(nodeCount),
    diskLeft: new Float64Array(nodeCount),
  };
  for (let node = 0; node < nodeCount; node++) noteMargins(cluster, margins, node);
  return margins;
}

/** The same margins, with these nodes computed again. O(nodes), and O(primaries) for each of these. */
export function changedMargins(
  cluster: Cluster,
  { decide, memoryLeft, diskLeft }: EmptyingMargins,
  nodes: Iterable<number>,
): EmptyingMargins {
  const margins = {
    decide: decide.slice(),
    memoryLeft: memoryLeft.slice(),
    diskLeft: diskLeft.slice(),
  };
  for (const node of nodes) noteMargins(cluster, margins, node);
  return margins;
}

/** The cases of `verdict` in `n1/emptying-count.ts` with mirrored instances only. */
function noteMargins(cluster: Cluster, margins: EmptyingMargins, node: number): void {
  const { exclusiveStorage, migrationTags } = cluster.facts;
  const arriving = new Map<number, number>();
  let decides =
    exclusiveStorage[node] === 0 && (migrationTags[node] as readonly string[]).length === 0;
  for (let at = cluster.primaries[node]; at !== undefined && decides; at = at.rest) {
    const { usesMemory, memoryMib, diskMib, data } = cluster.demandOf(at.index);
    const secondary = cluster.secondaryOf[at.index] as number;
    const needed = usesMemory ? memoryMib : 0;
    decides =
      data.diskTemplate === "drbd" &&
      cluster.primaryOf[at.index] === node &&
      secondary >= 0 &&
      secondary !== node &&
      exclusiveStorage[secondary] === 0 &&
      needed >= 0 &&
      diskMib >= 0;
    arriving.set(secondary, (arriving.get(secondary) ?? 0) + needed);
  }
  margins.decide[node] = Number(decides);
  let memoryLeft = Number.POSITIVE_INFINITY;
  let diskLeft = Number.POSITIVE_INFINITY;
  for (const [secondary, needed] of decides ? arriving : []) {
    const memory = cluster.get(secondary, field.memoryUnallocated) - needed;
    const disk = cluster.get(secondary, field.diskFree);
    // (NaN is never too little)
    if (memory < memoryLeft) memoryLeft = memory;
    if (disk < diskLeft) diskLeft = disk;
  }
  margins.memoryLeft[node] = memoryLeft;
  margins.diskLeft[node] = diskLeft;
}
