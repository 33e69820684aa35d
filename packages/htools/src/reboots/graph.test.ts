import { aCluster, aNode, anInstance } from "@ganeti-ts/testkit";
import { expect, test } from "vitest";
import { loadCluster } from "../model/load.js";
import { graphText, rebootGraph } from "./graph.js";

/** Nodes 0 to 4; an instance for each pair `primary secondary`. */
const clusterOf = (...pairs: (readonly [number, number])[]) =>
  loadCluster(
    aCluster({
      nodes: [0, 1, 2, 3, 4].map((at) => aNode({ name: `node${at}` })),
      instances: pairs.map(([primary, secondary], at) =>
        anInstance({
          name: `instance${at}`,
          primary,
          secondary,
          diskTemplate: secondary < 0 ? "plain" : "drbd",
        }),
      ),
    }),
  );

const text = (
  selected: readonly number[],
  offlineMaintenance: boolean,
  pairs: [number, number][],
) => graphText(rebootGraph(clusterOf(...pairs), selected, offlineMaintenance));

test("the nodes of every drbd instance are joined, the newest edge named first", () => {
  const pairs: [number, number][] = [
    [0, 1],
    [2, 1],
    [0, 1],
    [3, -1],
  ];
  expect(text([0, 1, 2, 3], true, pairs)).toBe(
    "array (0,3) [(0,[1,1]),(1,[0,2,0]),(2,[1]),(3,[])]",
  );
});

test("primaries that share a secondary are joined to each other and to themselves", () => {
  const pairs: [number, number][] = [
    [0, 2],
    [1, 2],
  ];
  expect(text([0, 1, 2], false, pairs)).toBe("array (0,2) [(0,[0,1,2]),(1,[0,1,2]),(2,[1,0])]");
});

test("an edge for a shared secondary is made only where there is none", () => {
  const pairs: [number, number][] = [
    [0, 2],
    [1, 2],
    [0, 1],
  ];
  expect(text([0, 1, 2], false, pairs)).toBe("array (0,2) [(0,[0,1,2]),(1,[1,0,2]),(2,[1,0])]");
});

test("the shared secondary need not be selected; a vertex in between that is not has no edges", () => {
  const pairs: [number, number][] = [
    [1, 0],
    [3, 0],
    [2, 3],
  ];
  expect(text([1, 3], false, pairs)).toBe("array (1,3) [(1,[1,3]),(2,[]),(3,[1,3])]");
});

test("without a selected node there is no graph", () => {
  expect(() => text([], false, [])).toThrow("Cannot create node graph");
});
