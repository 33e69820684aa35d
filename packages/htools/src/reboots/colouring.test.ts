// Seen to fail when ties go to the lower index, when Dsatur counts every neighbour, when Dcolor
// counts colours, and when an edge to a vertex already coloured is forgotten.
import { randomRuns } from "@ganeti-ts/testkit";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  type ColouringName,
  colouringNames,
  colouringStatistics,
  colourings,
  fewestColours,
} from "./colouring.js";
import type { RebootGraph } from "./graph.js";

/** Undirected multigraphs; an edge may lead back to its vertex. */
const graphs: fc.Arbitrary<RebootGraph> = fc
  .integer({ min: 1, max: 12 })
  .chain((size) =>
    fc.record({
      first: fc.nat(5),
      size: fc.constant(size),
      edges: fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 3 * size }),
    }),
  )
  .map(({ first, size, edges }) => {
    const neighbours = Array.from({ length: size }, (): number[] => []);
    for (const [a, b] of edges) {
      neighbours[a]?.push(b);
      if (a !== b) neighbours[b]?.push(a);
    }
    return { first, neighbours };
  });

test("no edge joins two nodes of a class, and every node is in exactly one", () => {
  fc.assert(
    fc.property(graphs, (graph) => {
      const { first, neighbours } = graph;
      for (const { classes } of colourings(graph)) {
        const nodes = classes.flat().sort((a, b) => a - b);
        expect(nodes).toEqual([...neighbours.keys()].map((vertex) => first + vertex));
        for (const nodesOfOne of classes) {
          for (const node of nodesOfOne) {
            const others = (neighbours[node - first] ?? []).map((vertex) => first + vertex);
            expect(others.filter((other) => other !== node && nodesOfOne.includes(other))).toEqual(
              [],
            );
          }
        }
      }
    }),
  );
});

/** A literal implementation of the rules, which counts everything again for each vertex. */
function colourSlowly({ first, neighbours }: RebootGraph, name: ColouringName): number[][] {
  const colours = new Map<number, number>();
  const around = (vertex: number) =>
    (neighbours[vertex] ?? []).flatMap((other) => colours.get(other) ?? []);
  const urgency = (vertex: number): number => {
    if (name === "LF") return 0;
    return name === "Dsatur" ? new Set(around(vertex)).size : around(vertex).length;
  };
  const degree = (vertex: number) => neighbours[vertex]?.length ?? 0;
  const left = [...neighbours.keys()];
  while (left.length > 0) {
    left.sort((a, b) => urgency(a) - urgency(b) || degree(a) - degree(b) || a - b);
    const vertex = left.pop() as number;
    let colour = 0;
    while (around(vertex).includes(colour)) colour++;
    colours.set(vertex, colour);
  }
  const count = Math.max(...colours.values()) + 1;
  return Array.from({ length: count }, (_, colour) =>
    [...neighbours.keys()]
      .filter((vertex) => colours.get(vertex) === colour)
      .map((vertex) => first + vertex),
  );
}

test("the three orders are those of the rules, ties included", () => {
  const differing = new Set<string>();
  fc.assert(
    fc.property(graphs, (graph) => {
      const all = colourings(graph);
      expect(all.map(({ name }) => name)).toEqual(colouringNames);
      for (const { name, classes } of all) expect(classes).toEqual(colourSlowly(graph, name));
      const [lf, dsatur, dcolor] = all.map(({ classes }) => JSON.stringify(classes));
      if (lf !== dsatur) differing.add("LF and Dsatur");
      if (dsatur !== dcolor) differing.add("Dsatur and Dcolor");
    }),
    { numRuns: randomRuns(500) },
  );
  expect(differing).toEqual(new Set(["LF and Dsatur", "Dsatur and Dcolor"]));
});

const colouring = (name: ColouringName, ...classes: number[][]) => ({ name, classes });

test("the fewest colours win, of equal ones the first", () => {
  const all = [
    colouring("LF", [0], [1], [2]),
    colouring("Dsatur", [0, 2], [1]),
    colouring("Dcolor", [1, 2], [0]),
  ];
  expect(fewestColours(all).name).toBe("Dsatur");
  expect(colouringStatistics(all)).toBe("Dcolor: 2 (2,1) TIE Dsatur: 2 (2,1) LOOSE LF: 3 (1,1,1)");
});
