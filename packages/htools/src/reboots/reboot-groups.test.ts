import { aCluster, aGroup, aNode, anInstance } from "@ganeti-ts/testkit";
import { expect, test } from "vitest";
import { loadCluster } from "../model/load.js";
import { rebootGroups } from "./reboot-groups.js";
import { nodesToReboot } from "./selection.js";

const nodes = (...changes: Parameters<typeof aNode>[0][]) =>
  changes.map((change, at) => aNode({ name: `node${at}`, ...change }));

const small = { memoryTotalMib: 4096, memoryFreeMib: 3072 };

test("instances without a mirror move to the first node with room outside the group", () => {
  const cluster = loadCluster(
    aCluster({
      nodes: nodes({}, { ...small, memoryFreeMib: 1024 }, {}),
      instances: [
        anInstance({ diskTemplate: "plain", primary: 0 }),
        anInstance({ name: "instance2", diskTemplate: "ext", primary: 0, memoryMib: 2048 }),
        anInstance({ name: "instance3", diskTemplate: "ext", primary: 1, memoryMib: 2048 }),
      ],
    }),
  );
  const groups = rebootGroups(cluster, [[0], [1], [2]], [0, 1, 2]);
  expect(groups.map((group) => group.nodes)).toEqual([[0], [1], [2]]);
  expect(groups.map(({ moves }) => moves.map(({ index, primary }) => [index, primary]))).toEqual([
    // The newest goes first, and finds no room on node 1; nor does the other, with exactly 0 left.
    [
      [0, 2],
      [1, 2],
    ],
    [[2, 0]],
    [],
  ]);
});

/** Three small nodes with one instance on each of the first `count`. */
const loaded = (memoryMib: number, count: number) =>
  loadCluster(
    aCluster({
      nodes: nodes(small, small, small),
      instances: [0, 1, 2]
        .slice(0, count)
        .map((primary) =>
          anInstance({ name: `i${primary}`, diskTemplate: "ext", primary, memoryMib }),
        ),
    }),
  );

const both = (memoryMib: number, count: number) =>
  rebootGroups(loaded(memoryMib, count), [[0, 1, 2]], [0, 1, 2]);

test("nodes are emptied at once as long as the others have room, also what was just moved there", () => {
  // Node 0's instance goes to node 1, and from there with node 1's own to node 2: 72 MiB are left.
  expect(both(1500, 2)).toMatchObject([
    {
      nodes: [0, 1],
      moves: [
        { index: 0, primary: 2 },
        { index: 1, primary: 2 },
      ],
    },
    { nodes: [2], moves: [] },
  ]);
});

test("what cannot be emptied at once is emptied in turn", () => {
  expect(both(1600, 2)).toMatchObject([
    { nodes: [0], moves: [{ index: 0, primary: 2 }] },
    { nodes: [1], moves: [{ index: 1, primary: 2 }] },
    { nodes: [2], moves: [] },
  ]);
});

test("what cannot be emptied at all is refused", () => {
  expect(() => both(1600, 3)).toThrow("Not enough capacity to move non-redundant instances");
});

const mirrored = (disk: number) =>
  loadCluster(
    aCluster({
      nodes: nodes({ diskFreeMib: disk }, {}, { diskFreeMib: disk }, { diskFreeMib: 20000 }),
      instances: [
        anInstance({ primary: 0, secondary: 1 }),
        anInstance({ name: "i1", primary: 2, secondary: 1 }),
      ],
    }),
  );
const evacuated = (disk: number) =>
  rebootGroups(mirrored(disk), [[0, 3], [1], [2]], [0, 1, 2, 3], { fullEvacuation: true });

test("a full evacuation fails instances over and then moves their mirrors away", () => {
  expect(evacuated(50000).map(({ nodes, moves }) => [nodes, moves])).toEqual([
    [[0, 3], [{ index: 0, primary: 1, secondary: 2, primaryNamed: 1, secondaryNamed: 2 }]],
    [
      [1],
      [
        { index: 0, primary: 0, secondary: 2, primaryNamed: 0, secondaryNamed: 2 },
        { index: 1, primary: 2, secondary: 0, primaryNamed: 2, secondaryNamed: 0 },
      ],
    ],
    [[2], [{ index: 1, primary: 1, secondary: 0, primaryNamed: 1, secondaryNamed: 0 }]],
  ]);
});

test("a full evacuation is refused where an instance cannot fail over, or no disk is free", () => {
  expect(() => evacuated(0)).toThrow("Failed to migrate instances off nodes");
  expect(() => evacuated(5000)).toThrow("Not enough capacity to move secondaries");
});

test("progress counts a node once for each kind of move, and an abort ends the search", () => {
  const seen: string[] = [];
  const watch = { onProgress: (done: number, total: number) => seen.push(`${done}/${total}`) };
  rebootGroups(loaded(1600, 2), [[0, 1, 2]], [0, 1, 2], { fullEvacuation: true }, watch);
  expect(seen).toEqual(["1/6", "1/6", "1/6", "2/6", "2/6", "3/6", "4/6", "5/6", "6/6"]);
  const signal = AbortSignal.abort(new Error("enough"));
  expect(() => rebootGroups(loaded(1600, 2), [[0, 1, 2]], [0], {}, { signal })).toThrow("enough");
});

test("large groups come first, those with the master last, and the master last in its own", () => {
  const cluster = loadCluster(
    aCluster({ nodes: nodes({ master: true }, {}, {}, {}, {}, {}), instances: [] }),
  );
  const groups = rebootGroups(cluster, [[0, 1, 2], [3], [4, 5]], [0, 1, 2, 3, 4, 5]);
  expect(groups.map((group) => group.nodes)).toEqual([[4, 5], [3], [1, 2, 0]]);
});

test("nodes that are not selected are emptied but not listed", () => {
  const groups = rebootGroups(loaded(1500, 2), [[0, 1, 2]], [1]);
  expect(groups).toMatchObject([
    { nodes: [1], moves: [{ index: 0 }, { index: 1 }] },
    { nodes: [] },
  ]);
});

test("selected are online nodes, of a group, with one of the tags, without unmirrored primaries", () => {
  const cluster = loadCluster(
    aCluster({
      groups: [aGroup(), aGroup({ name: "other", uuid: "other" })],
      nodes: nodes(
        { tags: ["a"] },
        { offline: true, tags: ["a"] },
        { groupIndex: 1, tags: ["a"] },
        { tags: ["b"] },
        { tags: ["c"] },
      ),
      instances: [
        anInstance({ primary: 4, secondary: 3 }),
        anInstance({ name: "i1", diskTemplate: "plain", primary: 3 }),
      ],
    }),
  );
  expect(nodesToReboot(cluster)).toEqual([0, 2, 3, 4]);
  expect(nodesToReboot(cluster, { group: 0 })).toEqual([0, 3, 4]);
  expect(nodesToReboot(cluster, { tags: ["b", "a"] })).toEqual([0, 2, 3]);
  expect(nodesToReboot(cluster, { tags: [] })).toEqual([]);
  expect(nodesToReboot(cluster, { skipNonRedundant: true })).toEqual([0, 2, 4]);
});
