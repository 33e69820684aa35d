import type { InstanceData, NodeData } from "@ganeti-ts/protocol";
import { aCluster, aNode, anInstance } from "@ganeti-ts/testkit";
import { describe, expect, test } from "vitest";
import { nodeFigures } from "../text/node-figures.js";
import { clusterWarnings, loadCluster } from "./load.js";

const figures = (node: Partial<NodeData>, instances: readonly Partial<InstanceData>[] = []) =>
  nodeFigures(
    loadCluster(
      aCluster({
        nodes: [
          aNode({ memoryTotalMib: 10000, memoryNodeMib: 1000, ...node }),
          aNode({ name: "node2" }),
        ],
        instances: instances.map((one, at) => anInstance({ name: `i${at}`, primary: 0, ...one })),
      }),
    ),
    0,
  );

describe("memory that decisions go by", () => {
  test.each([
    { why: "reported as reckoned", memoryFreeMib: 9000, unallocated: 9000, missing: 0 },
    { why: "less reported than reckoned", memoryFreeMib: 8000, unallocated: 8000, missing: 1000 },
    { why: "more reported than reckoned", memoryFreeMib: 9500, unallocated: 9000, missing: -500 },
  ])("$why", ({ memoryFreeMib, unallocated, missing }) => {
    expect(figures({ memoryFreeMib })).toMatchObject({
      memoryUnallocatedMib: unallocated,
      memoryMissingMib: missing,
      memoryFreeMib,
    });
  });

  test.each([
    ["running", 8000],
    ["ERROR_up", 8000],
    ["ADMIN_down", 9000],
    ["ADMIN_offline", 9000],
    ["USER_down", 9000],
  ] as const)("an instance that is %s leaves %i MiB", (status, memoryUnallocatedMib) => {
    const instance = { status, memoryMib: 1000 };
    const memoryFreeMib = memoryUnallocatedMib;
    expect(figures({ memoryFreeMib }, [instance]).memoryUnallocatedMib).toBe(memoryUnallocatedMib);
  });

  test.each([
    [5000, false],
    [4999, true],
  ])(
    "a node with %i MiB reported free and 5000 reserved fails N+1: %s",
    (memoryFreeMib, failsN1) => {
      const mirrored = { memoryMib: 5000, primary: 1, secondary: 0 };
      expect(figures({ memoryFreeMib }, [mirrored]).failsN1).toBe(failsN1);
    },
  );
});

test("instances are listed newest first; reservations are not listed", () => {
  const { primaries, secondaries } = figures({}, [
    {},
    { forthcoming: true },
    { primary: 1, secondary: 0 },
    {},
    { primary: 1, secondary: 0 },
  ]);
  expect(primaries).toEqual([3, 0]);
  expect(secondaries).toEqual([4, 2]);
});

test.each([
  [
    ["n1.a.ex.com", "n2.b.ex.com"],
    ["n1.a", "n2.b"],
  ],
  [
    ["n1.ex.com", "n2.ex.org"],
    ["n1.ex.com", "n2.ex.org"],
  ],
  [
    ["ex.com", "n2.ex.com"],
    ["ex", "n2.ex"],
  ],
])("of %j the part all have in common is left out: %j", (names, aliases) => {
  const cluster = loadCluster(aCluster({ nodes: names.map((name) => aNode({ name })) }));
  expect(names.map((_, node) => nodeFigures(cluster, node).alias)).toEqual(aliases);
});

test("large amounts of missing memory or disk cause warnings, last node first", () => {
  const missing = (name: string, memory: number, disk: number) =>
    aNode({ name, memoryFreeMib: 64512 - memory, diskFreeMib: 1048576 - disk });
  const nodes = [missing("n1", 513, 0), missing("n2", 512, 1024), missing("n3", -700, 4095)];
  expect(clusterWarnings(loadCluster(aCluster({ nodes })))).toEqual([
    "node n3 is missing -700 MB ram and 3 GB disk",
    "node n1 is missing 513 MB ram and 0 GB disk",
  ]);
});

test("an instance twice on one node counts there as a secondary alone", () => {
  const { primaries, secondaries, vcpusUsed, memoryReservedMib } = figures({}, [{ secondary: 0 }]);
  expect({ primaries, secondaries }).toEqual({ primaries: [], secondaries: [0] });
  expect({ vcpusUsed, memoryReservedMib }).toEqual({ vcpusUsed: 1, memoryReservedMib: 1024 });
});
