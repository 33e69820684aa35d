/** Computation of the margins of emptying nodes, for kept clusters. */
import type { Cluster } from "../model/cluster.js";
import type { EmptyingMargins } from "../model/emptying-margins.js";
import { field } from "../model/node-columns.js";
import { nobody } from "./evacuees.js";
import { type LeavingPrimaries, leavingPrimaries } from "./leaving-primaries.js";

/** Margins of all nodes. O(nodes + instances). */
export function emptyingMargins(cluster: Cluster): EmptyingMargins {
  const { nodeCount } = cluster;
  const margins: EmptyingMargins = {
    decide: new Uint8Array(nodeCount),
    memoryLeft: new Float64Array(nodeCount),
    diskLeft: new Float64Array(nodeCount),
    otherCount: new Float64Array(nodeCount),
    otherMemory: new Float64Array(nodeCount),
    otherDisk: new Float64Array(nodeCount),
    memoryToOne: new Float64Array(nodeCount),
    rooms: new Map(),
  };
  for (let node = 0; node < nodeCount; node++) noteMargins(cluster, margins, node);
  return margins;
}

/**
 * Computes margins again in place after changes of these nodes. O(primaries) for each of them, and for nodes whose
 * instances fail over to it.
 */
export function changeMargins(
  cluster: Cluster,
  margins: EmptyingMargins,
  changed: Iterable<number>,
): void {
  const nodes = new Set(changed);
  for (const node of changed) for (const peer of cluster.peers[node] ?? []) nodes.add(peer.node);
  for (const node of nodes) {
    noteMargins(cluster, margins, node);
    margins.rooms.delete(cluster.facts.groupOf[node] as number);
  }
}

/**
 * Makes a change final and keeps the margins, if the cluster has any: without them, all nodes are counted for the next
 * placement, O(nodes + instances).
 * @param change settles the cluster, and returns the nodes that it has changed
 */
export function keepingMargins(cluster: Cluster, change: () => readonly number[]): void {
  const { emptyingMargins: margins } = cluster;
  const changed = change().filter((node) => node >= 0);
  if (margins === undefined) return;
  changeMargins(cluster, margins, changed);
  cluster.emptyingMargins = margins;
}

/** The cases of `verdict` in `n1/emptying-count.ts` in which neither tags nor exclusive storage matter. */
function noteMargins(cluster: Cluster, margins: EmptyingMargins, node: number): void {
  const leaving = leavingPrimaries(cluster, node, nobody);
  const { secondaries, memoryTo, others, largest } = leaving;
  const decide = decidedBy(cluster, node, leaving);
  let memoryLeft = Number.POSITIVE_INFINITY;
  let diskLeft = Number.POSITIVE_INFINITY;
  for (let i = 0; i < secondaries.length && decide > 0; i++) {
    const secondary = secondaries[i] as number;
    const memory = cluster.get(secondary, field.memoryUnallocated) - (memoryTo[i] as number);
    const disk = cluster.get(secondary, field.diskFree);
    // (NaN is never too little)
    if (memory < memoryLeft) memoryLeft = memory;
    if (disk < diskLeft) diskLeft = disk;
  }
  margins.decide[node] = decide;
  margins.memoryLeft[node] = memoryLeft;
  margins.diskLeft[node] = diskLeft;
  margins.otherCount[node] = others.length;
  margins.otherMemory[node] = largest.memoryMib;
  margins.otherDisk[node] = largest.diskMib;
  margins.memoryToOne[node] = leaving.mostMemoryTo;
}

/** See `decide` of the margins. */
function decidedBy(
  { facts }: Cluster,
  node: number,
  { isStuck, isRegular, others, areAccepted }: LeavingPrimaries,
): 0 | 1 | 2 {
  if (isStuck || !isRegular || facts.exclusiveStorage[node] === 1) return 0;
  if ((facts.migrationTags[node] as readonly string[]).length > 0) return 0;
  if (others.length === 0) return 1;
  return areAccepted ? 2 : 0;
}
