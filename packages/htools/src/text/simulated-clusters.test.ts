import { expect, test } from "vitest";
import { DataError } from "../model/data-error.js";
import { simulateCluster } from "./simulated-clusters.js";

test("a group of empty nodes stands as described", () => {
  const { groups, nodes, instances } = simulateCluster(["p,2,1t,64g,16"]);
  expect(groups).toMatchObject([
    { name: "group-01", uuid: "fake-uuid-01", allocationPolicy: "preferred", networks: [] },
  ]);
  expect(nodes.map(({ name, master }) => [name, master])).toEqual([
    ["node-01-001", true],
    ["node-01-002", false],
  ]);
  expect(nodes[0]).toMatchObject({
    memoryTotalMib: 65536,
    memoryFreeMib: 65536,
    memoryNodeMib: 0,
    diskTotalMib: 1048576,
    diskFreeMib: 1048576,
    cpuTotal: 16,
    cpuNode: 1,
    spindleTotal: 1,
    spindleFree: 0,
    exclusiveStorage: false,
    offline: false,
  });
  expect(instances).toEqual([]);
});

test("the last specification makes the first group", () => {
  const { groups, nodes } = simulateCluster(["u,1,1,1,1", "last_resort,1,2,2,2"]);
  expect(groups.map(({ name, allocationPolicy }) => [name, allocationPolicy])).toEqual([
    ["group-01", "last_resort"],
    ["group-02", "unallocable"],
  ]);
  expect(
    nodes.map(({ name, groupIndex, diskTotalMib }) => [name, groupIndex, diskTotalMib]),
  ).toEqual([
    ["node-01-001", 0, 2],
    ["node-02-001", 1, 1],
  ]);
});

test("spindles and exclusive storage are optional", () => {
  const { nodes } = simulateCluster(["a,1,1,1,1,6,True"]);
  expect(nodes[0]).toMatchObject({ spindleTotal: 6, spindleFree: 0, exclusiveStorage: true });
});

test("no nodes, or less, is an empty group", () => {
  expect(simulateCluster(["p,0,1,1,1"]).nodes).toEqual([]);
  expect(simulateCluster(["p,-1,1,1,1"]).nodes).toEqual([]);
});

const format =
  "Invalid cluster specification, expected 6 comma-separated sections (allocation policy, node count, disk size, memory size, number of CPUs, spindles)";
test.each([
  ["p,3", `${format} but got 2: 'p,3'`],
  ["", `${format} but got 0: ''`],
  ["p,1,1,1,1,5,True,7", `${format} but got 8: 'p,1,1,1,1,5,True,7'`],
  [
    "x,1,1,1,1",
    `Invalid string value for type AllocPolicy: "x"; Cannot parse AllocPolicy abbreviation 'x'`,
  ],
  ["p,three,y,z,w", "node count: cannot parse string 'three'"],
  ["p,1,1.5t,z,w", "disk size: Can't parse string '1.5t'"],
  ["p,1,1,1KB,w", "memory size: Unknown unit 'KB'"],
  ["p,1,1,1,w", "cpu count: cannot parse string 'w'"],
  ["p,1,1,1,1,", "spindles: cannot parse string ''"],
  ["p,1,1,1,1,1,true", "exclusive storage: cannot parse string 'true'"],
])("%j is refused", (specification, message) => {
  expect(() => simulateCluster([specification])).toThrow(new DataError(message));
});
