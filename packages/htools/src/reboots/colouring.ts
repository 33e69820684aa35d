/**
 * Colourings of the reboot graph by a greedy algorithm in three orders; each colour is a group of nodes that
 * can be down together. Source: Ganeti, HTools/Graph.hs.
 */
import type { RebootGraph } from "./graph.js";
import { VertexQueue } from "./vertex-queue.js";

export const colouringNames = ["LF", "Dsatur", "Dcolor"] as const;
/** Name of a colouring algorithm. */
export type ColouringName = (typeof colouringNames)[number];

/** Nodes of a reboot graph by colour, as one of the algorithms assigns them. */
export interface Colouring {
  readonly name: ColouringName;
  /** Node indices by colour, each class ascending. No edge joins two nodes of a class. */
  readonly classes: readonly (readonly number[])[];
}

/**
 * All three, in the order of `colouringNames`. Each vertex gets the lowest colour that no neighbour
 * has; what differs is who is next, ties going to the higher index:
 *
 * | name   | next                                                                     |
 * | ------ | ------------------------------------------------------------------------ |
 * | LF     | highest degree                                                           |
 * | Dsatur | most different colours among the neighbours, then highest degree         |
 * | Dcolor | most edges to coloured vertices (multiple ones count), then highest degree |
 *
 * Cost: O((nodes + edges) log nodes).
 */
export function colourings(graph: RebootGraph): readonly Colouring[] {
  return colouringNames.map((name) => ({ name, classes: classesOf(graph, colour(graph, name)) }));
}

/** The colouring with the fewest colours; among equals the first. */
export function fewestColours(all: readonly Colouring[]): Colouring {
  return all.reduce((best, one) => (one.classes.length < best.classes.length ? one : best));
}

/** Best to worst with number and sizes of the classes: `LF: 2 (3,1) LOOSE Dsatur: 3 (2,1,1)`. */
export function colouringStatistics(all: readonly Colouring[]): string {
  // Equal ones are listed in reverse order.
  const best = all.toReversed().sort((a, b) => a.classes.length - b.classes.length);
  return best
    .map(({ name, classes }, at) => {
      const sizes = classes.map(({ length }) => length);
      const text = `${name}: ${classes.length} (${sizes})`;
      if (at === 0) return text;
      return `${best[at - 1]?.classes.length === classes.length ? "TIE" : "LOOSE"} ${text}`;
    })
    .join(" ");
}

/** The colour of every vertex. */
function colour({ neighbours }: RebootGraph, name: ColouringName): Int32Array {
  const size = neighbours.length;
  const colours = new Int32Array(size).fill(-1);
  const queue = new VertexQueue(ranks(neighbours));
  const seen = neighbours.map(() => new Set<number>());
  for (let vertex = queue.take(); vertex !== undefined; vertex = queue.take()) {
    const chosen = lowestMissing(seen[vertex] as Set<number>);
    colours[vertex] = chosen;
    for (const other of neighbours[vertex] as readonly number[]) {
      if (!queue.has(other)) continue;
      const around = seen[other] as Set<number>;
      const isNew = !around.has(chosen);
      if (isNew) around.add(chosen);
      // Ranks are below `size`, so one step outweighs any rank.
      if (name === "Dcolor" || (name === "Dsatur" && isNew)) queue.raise(other, size);
    }
  }
  return colours;
}

/** Position of each vertex when sorted by degree, then index: the tie-breaker. */
function ranks(neighbours: RebootGraph["neighbours"]): number[] {
  const degree = (vertex: number) => neighbours[vertex]?.length ?? 0;
  const ascending = [...neighbours.keys()].sort((a, b) => degree(a) - degree(b) || a - b);
  const ranked: number[] = [];
  for (const [rank, vertex] of ascending.entries()) ranked[vertex] = rank;
  return ranked;
}

function lowestMissing(colours: ReadonlySet<number>): number {
  let colour = 0;
  while (colours.has(colour)) colour++;
  return colour;
}

function classesOf({ first }: RebootGraph, colours: Int32Array): number[][] {
  const classes: number[][] = [];
  for (const [vertex, colour] of colours.entries()) {
    classes[colour] ??= [];
    classes[colour].push(first + vertex);
  }
  return classes;
}
