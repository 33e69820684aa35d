import type { DiskTemplate } from "@ganeti-ts/protocol";
import { aCluster, aGroup, aNode, anInstance } from "@ganeti-ts/testkit";
import { expect, test } from "vitest";
import { badItems, groupView, splitInstances } from "./cluster-views.js";
import { findName } from "./find-name.js";
import { type LoadOptions, loadCluster } from "./load.js";

const data = aCluster({
  groups: [aGroup({ name: "one" }), aGroup({ name: "two", uuid: "2" }), aGroup({ name: "none" })],
  nodes: [
    aNode({ name: "n0", memoryFreeMib: 500 }),
    aNode({ name: "n1", groupIndex: 1 }),
    aNode({ name: "n2" }),
    aNode({ name: "n3", memoryFreeMib: 0, offline: true }),
  ],
  instances: [
    anInstance({ name: "i0.org", primary: 2, secondary: 0 }),
    anInstance({ name: "i1.org", primary: 2, secondary: 1 }),
    anInstance({ name: "i2.com", primary: 1, secondary: 1, forthcoming: true }),
    anInstance({ name: "i3.com", primary: 0, secondary: 3 }),
    anInstance({ name: "i3.com.au", primary: 1, diskTemplate: "plain" }),
  ],
});

test("a group has its nodes, and the instances whose primary is one of them", () => {
  const cluster = loadCluster(data);
  expect(groupView(cluster, 0)).toEqual({ nodes: [0, 2, 3], instances: [0, 1, 3] });
  expect(groupView(cluster, 1)).toEqual({ nodes: [1], instances: [2, 4] });
  expect(groupView(cluster, 2)).toEqual({ nodes: [], instances: [] });
});

test("bad are the online nodes that fail N+1, and what is on them", () => {
  const cluster = loadCluster(data);
  expect(badItems(cluster, [0, 1, 2, 3])).toEqual({ nodes: [0], instances: [0, 3] });
  expect(badItems(cluster, [1, 2, 3])).toEqual({ nodes: [], instances: [] });
});

test.each<[LoadOptions, number[]]>([
  [{}, [0, 2, 3]],
  [{ selectInstances: ["i0", "i1"] }, [0]],
  [{ selectInstances: ["i0", "i3.com"], excludeInstances: ["i0.org"] }, [3]],
  [{ excludeInstances: ["i2"] }, [0, 3]],
])("with %j the instances %j may be moved", (options, expected) => {
  const cluster = loadCluster(data, options);
  expect([...cluster.movable.entries()].flatMap(([at, may]) => (may ? [at] : []))).toEqual(
    expected,
  );
  expect(splitInstances(cluster)).toEqual([1]);
});

test("unknown and ambiguous names are refused, the selected first", () => {
  const options = { selectInstances: ["i3", "i0"], excludeInstances: ["i", "org"] };
  expect(() => loadCluster(data, options)).toThrow('Unknown instance(s): ["i3","i","org"]');
});

test.each<[DiskTemplate, boolean]>([
  ["diskless", false],
  ["file", false],
  ["plain", false],
  ["sharedfile", true],
  ["blockdev", true],
  ["drbd", true],
  ["rbd", true],
  ["ext", true],
  ["gluster", true],
])("an instance on %s may be moved: %s", (diskTemplate, expected) => {
  const instances = [anInstance({ primary: 0, diskTemplate })];
  const cluster = loadCluster(aCluster({ nodes: [aNode()], instances }));
  expect(cluster.movable[0]).toBe(Number(expected));
  expect(cluster.copy().movable[0]).toBe(Number(expected));
});

test.each([
  ["web", undefined],
  ["web.a", "web.a"],
  ["web.b", "web.b.c"],
  ["db", "db.a"],
  ["d", undefined],
])("%s is %s", (key, name) => {
  expect(findName(["web.a", "web.b.c", "db.a"], key)).toBe(name);
});

test("measured loads apply to unique full names only", () => {
  const measured = { cpu: 2, memory: 3, disk: 4, network: 5 };
  const utilisation = new Map(
    ["i0.org", "i1", "i3.com.au", "twin"].map((name) => [name, measured]),
  );
  const twins = [
    anInstance({ name: "twin", primary: 0 }),
    anInstance({ name: "twin", primary: 0 }),
  ];
  const all = { ...data, instances: [...data.instances, ...twins] };
  const cpuLoads = (options: LoadOptions) =>
    loadCluster(all, options).instances.map(({ load }) => load.cpu);
  expect(cpuLoads({ utilisation })).toEqual([2, 1, 1, 1, 2, 1, 1]);
  expect(cpuLoads({ utilisation, ignoreUtilisation: true })).toEqual([0, 0, 0, 0, 0, 0, 0]);
});

test("given prefixes of exclusion tags end before a colon, those of the cluster where they end", () => {
  const tags = ["ftp:a", "ftpd:a", "web:a", "webs:a"];
  const instances = [anInstance({ primary: 0, tags })];
  const tagged = aCluster({ nodes: [aNode()], instances, tags: ["htools:iextags:ftp"] });
  const cluster = loadCluster(tagged, { exclusionPrefixes: ["web"] });
  expect(cluster.instances[0]?.exclusionTags).toEqual(["ftp:a", "ftpd:a", "web:a"]);
});
