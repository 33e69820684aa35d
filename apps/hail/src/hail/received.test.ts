import { aCluster, aNode, anInstance } from "@ganeti-ts/testkit";
import { expect, test } from "vitest";
import { clusterLines, requestLines } from "./received.js";

const cluster = aCluster({
  instances: [
    anInstance({ name: "web", primary: 0, secondary: 2 }),
    anInstance({ name: "db", primary: 1, diskTemplate: "plain", forthcoming: true }),
  ],
});
const wanted = anInstance({
  name: "new",
  tags: ["owner:a"],
  networks: [null, "net1"],
  disks: [{ sizeMib: 512, spindles: 1 }],
});

test.each([
  [
    {
      type: "allocate",
      instance: wanted,
      requiredNodes: 2,
      groupName: undefined,
      restrictToNodes: ["node1", "node2"],
    } as const,
    "Received request: allocate new on 2 nodes, in any group, only on node1, node2\n" +
      "Received instance: new, running, memory 1024 MiB, 1 vcpu, drbd 640 MiB, disks 512 MiB on 1 spindle, spindle use 1, tags owner:a, networks net1\n",
  ],
  [
    { type: "multi-allocate", wanted: [], groupName: "default" } as const,
    "Received request: allocate 0 instances, in group default\n",
  ],
  [
    { type: "allocate-secondary", instanceIndex: 1 } as const,
    "Received request: allocate a secondary node for db\n",
  ],
  [
    { type: "relocate", instanceIndex: 0, requiredNodes: 1, relocateFrom: [2] } as const,
    "Received request: relocate web from node3\n",
  ],
  [
    { type: "node-evacuate", instanceIndices: [0, 1], mode: "all" } as const,
    "Received request: evacuate (all) web, db\n",
  ],
  [
    { type: "change-group", instanceIndices: [0], targetGroups: [] } as const,
    "Received request: move web to any other group\n",
  ],
  [
    { type: "change-group", instanceIndices: [], targetGroups: [0] } as const,
    "Received request: move none to default\n",
  ],
])("-v describes the request %j in words", (request, text) => {
  expect(requestLines(request, cluster)).toBe(text);
});

test("-v -v describes a cluster with one line per group, node and instance", () => {
  const lines = clusterLines(cluster).split("\n");
  expect(lines).toHaveLength(1 + 1 + 3 + 2 + 1);
  expect(lines[0]).toBe("Received cluster data: 1 group, 3 nodes, 2 instances");
  expect(lines[1]).toMatch(/^Received group 0: default \(0{8}-.*\), preferred, instances 128 MiB/);
  expect(lines[2]).toBe(
    "Received node 0: node1 in default, memory 64512 of 65536 MiB free, 1024 MiB its own, disk 1048576 of 1048576 MiB free, 16 cpus, 4 spindles",
  );
  expect(lines[5]).toMatch(/^Received instance 0: web, running, .* on node1 and node3$/);
  expect(lines[6]).toMatch(/^Received instance 1: db, forthcoming, running, .* on node2$/);
});

test("a line break in a name does not start a new line of -v output", () => {
  const nodes = [aNode({ name: "a\nb" })];
  for (const line of clusterLines({ ...cluster, nodes })
    .trimEnd()
    .split("\n")) {
    expect(line).toMatch(/^Received /);
  }
});
