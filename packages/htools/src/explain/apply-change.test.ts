import type { AllocationChange, InstanceData } from "@ganeti-ts/protocol";
import { aCluster, aGroup, aNode, anInstance } from "@ganeti-ts/testkit";
import { describe, expect, test } from "vitest";
import { applyChange, oneLess, type Question } from "./apply-change.js";
import { resized } from "./resize.js";

const options = { ignoreSoftErrors: false, capacityChecks: true, restrictTo: undefined };
const placed = anInstance({ name: "db", primary: 0, secondary: 1 });
const question: Question = {
  cluster: aCluster({
    groups: [aGroup({ allocationPolicy: "unallocable" })],
    nodes: [aNode({ name: "node1", offline: true, tags: ["cpu:old"] }), aNode({ name: "node2" })],
    instances: [placed],
  }),
  request: {
    type: "allocate",
    instance: anInstance({ name: "web", tags: ["service:web", "other"] }),
    requiredNodes: 2,
    groupName: "default",
    restrictToNodes: ["node1"],
  },
  options,
};
const [node1, node2] = question.cluster.nodes;
const evacuation: Question = {
  ...question,
  request: { type: "node-evacuate", instanceIndices: [0], mode: "primary-only" },
};

describe("a change of", () => {
  test.each<{ change: AllocationChange; from?: Question; gives: object }>([
    {
      change: { kind: "resize", instance: "web", resource: "memory", by: -24 },
      gives: { request: { instance: { memoryMib: 1000 } } },
    },
    {
      change: { kind: "remove-tag", instance: "web", tag: "service:web" },
      gives: { request: { instance: { tags: ["other"] } } },
    },
    {
      change: { kind: "extend-node", node: "node2", resource: "memory", by: 10 },
      gives: {
        cluster: {
          nodes: [
            node1,
            {
              memoryTotalMib: (node2?.memoryTotalMib ?? 0) + 10,
              memoryFreeMib: (node2?.memoryFreeMib ?? 0) + 10,
            },
          ],
        },
      },
    },
    {
      change: { kind: "extend-node", node: "node2", resource: "spindles", by: 2 },
      gives: { cluster: { nodes: [node1, { spindleTotal: 6, spindleFree: 6 }] } },
    },
    {
      change: { kind: "extend-node", node: "node2", resource: "cpus", by: 2 },
      gives: { cluster: { nodes: [node1, { cpuTotal: 18 }] } },
    },
    {
      change: { kind: "return-node", node: "node1" },
      gives: { cluster: { nodes: [{ offline: false }, node2] } },
    },
    {
      change: { kind: "remove-node-tag", node: "node1", tag: "cpu:old" },
      gives: { cluster: { nodes: [{ tags: [] }, node2] } },
    },
    {
      change: { kind: "add-nodes", like: "node1", by: 2 },
      gives: {
        cluster: {
          nodes: [
            node1,
            node2,
            { name: "new1-node1", offline: false },
            { name: "new2-node1", memoryFreeMib: 64512 },
          ],
        },
      },
    },
    {
      change: { kind: "set-group-policy", group: "default", policy: "last_resort" },
      gives: { cluster: { groups: [{ allocationPolicy: "last_resort" }] } },
    },
    {
      change: { kind: "connect-group", group: "default", network: "net" },
      gives: { cluster: { groups: [{ networks: ["net"] }] } },
    },
    {
      change: { kind: "allow-template", group: "default", template: "gluster" },
      gives: {
        cluster: { groups: [{ policy: { diskTemplates: ["drbd", "plain", "ext", "gluster"] } }] },
      },
    },
    { change: { kind: "drop-group-name" }, gives: { request: { groupName: undefined } } },
    {
      change: { kind: "drop-node-restriction" },
      gives: { request: { restrictToNodes: undefined } },
    },
    {
      change: { kind: "allow-node", node: "node2" },
      gives: { request: { restrictToNodes: ["node1", "node2"] } },
    },
    {
      change: { kind: "allow-node", node: "node2" },
      from: { ...question, options: { ...options, restrictTo: [] } },
      gives: { options: { restrictTo: ["node2"] }, request: { restrictToNodes: ["node1"] } },
    },
    {
      change: { kind: "set-option", option: "no-capacity-checks" },
      gives: { options: { ...options, capacityChecks: false } },
    },
    {
      change: { kind: "set-option", option: "ignore-soft-errors" },
      gives: { options: { ...options, ignoreSoftErrors: true } },
    },
    {
      change: { kind: "set-required-nodes", count: 1 },
      gives: { request: { requiredNodes: 1 } },
    },
    {
      change: { kind: "set-relocate-from", node: "node2" },
      from: {
        ...question,
        request: { type: "relocate", instanceIndex: 0, requiredNodes: 1, relocateFrom: [] },
      },
      gives: { request: { relocateFrom: [1] } },
    },
    {
      change: { kind: "set-evacuation-mode", mode: "all" },
      from: evacuation,
      gives: { request: { mode: "all" } },
    },
    {
      change: { kind: "any-target-group" },
      from: {
        ...question,
        request: { type: "change-group", instanceIndices: [0], targetGroups: [0] },
      },
      gives: { request: { targetGroups: [] } },
    },
    {
      change: { kind: "resize", instance: "db", resource: "disk", by: -100 },
      from: evacuation,
      gives: {
        cluster: {
          instances: [{ diskMib: placed.diskMib - 100, disks: [{ sizeMib: 10140 }] }],
          nodes: question.cluster.nodes.map(({ diskFreeMib }) => ({
            diskFreeMib: diskFreeMib + 100,
          })),
        },
      },
    },
    {
      change: { kind: "resize", instance: "db", resource: "memory", by: 50 },
      from: evacuation,
      gives: {
        cluster: {
          instances: [{ memoryMib: 1074 }],
          nodes: [{ memoryFreeMib: (node1?.memoryFreeMib ?? 0) - 50 }, node2],
        },
      },
    },
  ])("$change.kind", ({ change, from = question, gives }) => {
    expect(applyChange(from, change)).toMatchObject(gives);
  });

  test("something that is not there changes nothing", () => {
    const changes: AllocationChange[] = [
      { kind: "resize", instance: "nobody", resource: "memory", by: -1 },
      { kind: "extend-node", node: "nowhere", resource: "disk", by: 1 },
      { kind: "add-nodes", like: "nowhere", by: 1 },
      { kind: "set-relocate-from", node: "node1" },
      { kind: "set-evacuation-mode", mode: "all" },
      { kind: "any-target-group" },
    ];
    for (const change of changes) expect(applyChange(question, change)).toEqual(question);
  });
});

describe("an instance of another size", () => {
  const disks = (...sizes: number[]) => sizes.map((sizeMib) => ({ sizeMib, spindles: undefined }));
  const sizes = ({ disks: all }: InstanceData) => all.map(({ sizeMib }) => sizeMib);
  const three = anInstance({ disks: disks(100, 300, 200) });

  test.each([
    { by: -50, left: [100, 250, 200] },
    { by: -100, left: [100, 200, 200] },
    { by: -101, left: [100, 199, 200] },
    { by: -300, left: [100, 100, 100] },
    { by: -599, left: [1, 0, 0] },
    { by: 100, left: [200, 300, 200] },
    { by: 302, left: [301, 300, 301] },
  ])("has its largest disks cut, its smallest filled: $by", ({ by, left }) => {
    const changed = resized(three, { kind: "resize", resource: "disk", by });
    expect(sizes(changed)).toEqual(left);
    expect(changed.diskMib).toBe(three.diskMib + by);
  });

  test("loses its last disks with their metadata, or gets more like the last", () => {
    const fewer = resized(three, { kind: "resize", resource: "disks", by: -2 });
    expect([sizes(fewer), fewer.diskMib]).toEqual([[100], 228]);
    const more = resized(three, { kind: "resize", resource: "disks", by: 1 });
    expect([sizes(more), more.diskMib]).toEqual([[100, 300, 200, 200], three.diskMib + 328]);
  });

  test("gets spindles on its first disk, gives back those of its last", () => {
    const counted = anInstance({
      disks: [2, 3].map((spindles) => ({ sizeMib: 10, spindles })),
    });
    const spindles = (data: InstanceData, by: number) =>
      resized(data, { kind: "resize", resource: "spindles", by }).disks.map(
        (disk) => disk.spindles,
      );
    expect(spindles(counted, -4)).toEqual([1, 0]);
    expect(spindles(counted, 2)).toEqual([4, 3]);
    expect(spindles(three, 1)).toEqual([1, 0, 0]);
  });
});

test("one unit less of an amount, where that is still an amount", () => {
  const resize = { kind: "resize", instance: "web", resource: "memory" } as const;
  expect(oneLess({ ...resize, by: -5 })).toEqual({ ...resize, by: -4 });
  expect(oneLess({ ...resize, by: 5 })).toEqual({ ...resize, by: 4 });
  expect(oneLess({ ...resize, by: -1 })).toBeUndefined();
  expect(oneLess({ kind: "drop-group-name" })).toBeUndefined();
});
