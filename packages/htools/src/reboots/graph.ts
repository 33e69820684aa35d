/**
 * Reboot graph: edges join nodes that must not be down at the same time. Source: Ganeti, HTools/Node.hs
 * (`mkNodeGraph`, `mkRebootNodeGraph`).
 */
import { isMirrored } from "@ganeti-ts/protocol";
import type { Cluster } from "../model/cluster.js";
import { DataError } from "../model/data-error.js";
import { toArray } from "../model/index-list.js";

/**
 * Vertices are consecutive node indices, from the lowest selected node to the highest. Unselected nodes in
 * this range have no edges, but are coloured and emptied like the others.
 */
export interface RebootGraph {
  /** The node of vertex 0. */
  readonly first: number;
  /**
   * By vertex: its neighbours, in the order in which edges were added. Symmetric; an edge may occur several
   * times and may be a loop, and both count in the degree.
   */
  readonly neighbours: readonly (readonly number[])[];
}

/**
 * Edges join, among the selected nodes,
 * - the two nodes of every drbd instance, once per instance;
 * - unless the instances are shut down anyway (`offlineMaintenance`), all primaries of the instances
 *   that a node is secondary for, itself included: one edge each, where there is none yet. That node
 *   need not be selected.
 *
 * @param selected node indices, ascending; refused if there are none
 * Cost: O(nodes + instances + edges).
 */
export function rebootGraph(
  cluster: Cluster,
  selected: readonly number[],
  offlineMaintenance: boolean,
): RebootGraph {
  const [first] = selected;
  const last = selected.at(-1);
  if (first === undefined || last === undefined) throw new DataError("Cannot create node graph");
  const neighbours = Array.from({ length: last - first + 1 }, (): number[] => []);
  const chosen = new Uint8Array(cluster.nodeCount);
  for (const node of selected) chosen[node] = 1;
  joinPairs(cluster, chosen, first, neighbours);
  if (!offlineMaintenance) joinSharers(cluster, chosen, first, neighbours);
  return { first, neighbours };
}

function joinPairs(
  cluster: Cluster,
  chosen: Uint8Array,
  first: number,
  neighbours: readonly number[][],
): void {
  for (const { data, index } of cluster.instances) {
    if (!isMirrored(data.diskTemplate)) continue;
    const primary = cluster.primaryOf[index] as number;
    const secondary = cluster.secondaryOf[index] as number;
    if (chosen[primary] !== 1 || chosen[secondary] !== 1) continue;
    neighbours[primary - first]?.push(secondary - first);
    neighbours[secondary - first]?.push(primary - first);
  }
}

function joinSharers(
  cluster: Cluster,
  chosen: Uint8Array,
  first: number,
  neighbours: readonly number[][],
): void {
  const circles = circlesOf(cluster, chosen, first, neighbours.length);
  // Vertices already joined to this vertex: those whose entry is the vertex.
  const ledToBy = new Int32Array(neighbours.length).fill(-1);
  for (const [vertex, known] of neighbours.entries()) {
    for (const other of known) ledToBy[other] = vertex;
    for (const circle of circles[vertex] as (readonly number[])[]) {
      for (const other of circle) {
        if (ledToBy[other] === vertex) continue;
        ledToBy[other] = vertex;
        known.push(other);
      }
    }
  }
}

/**
 * By vertex: its circles. A circle is the set of primaries of the instances for which one node is the
 * secondary; circles are in the order of these nodes.
 */
function circlesOf(
  cluster: Cluster,
  chosen: Uint8Array,
  first: number,
  vertexCount: number,
): (readonly number[])[][] {
  const circles = Array.from({ length: vertexCount }, (): (readonly number[])[] => []);
  for (const secondaries of cluster.secondaries) {
    const primaries = toArray(secondaries).map((index) => cluster.primaryOf[index] as number);
    const circle = [...new Set(primaries)]
      .filter((node) => chosen[node] === 1)
      .map((node) => node - first);
    for (const vertex of circle) circles[vertex]?.push(circle);
  }
  return circles;
}

/** Ganeti's format of an adjacency list: the newest edge first. */
export function graphText({ first, neighbours }: RebootGraph): string {
  const lists = neighbours.map((ends, vertex) => {
    const nodes = ends.map((end) => first + end).reverse();
    return `(${first + vertex},[${nodes}])`;
  });
  return `array (${first},${first + neighbours.length - 1}) [${lists}]`;
}
