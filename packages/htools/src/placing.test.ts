// Every check of adding, at its bound: what just fits, what just does not, and what force lets pass.
import type { InstanceData, NodeData } from "@ganeti-ts/protocol";
import { aCluster, aGroup, aNode, anInstance, aPolicy } from "@ganeti-ts/testkit";
import { describe, expect, test } from "vitest";
import type { Cluster } from "./cluster.js";
import { type Instance, makeInstance } from "./instance.js";
import { loadCluster } from "./load.js";
import { fits, misfitNames } from "./misfit.js";
import { nodeFigures } from "./node-figures.js";
import { addPrimary, addSecondary, removePrimary, removeSecondary } from "./placing.js";

interface Case {
  readonly why: string;
  /** Of the node tried: 10000 MiB free memory and disk, 4 CPUs, 2 spindles unless stated. */
  readonly node?: Partial<NodeData>;
  readonly vcpuRatio?: number;
  /** What is there already: its primary is the node tried, or `primary` says another. */
  readonly there?: Partial<InstanceData>;
  /** To add: 1000 MiB memory and disk, 1 vCPU unless stated. */
  readonly add: Partial<InstanceData>;
  readonly result: string;
  /** With force; the same where not stated. */
  readonly forced?: string;
}

function tried(one: Case): { cluster: Cluster; instance: Instance } {
  const policy = aPolicy({ vcpuRatio: one.vcpuRatio ?? 4, spindleRatio: 4 });
  const node = { memoryTotalMib: 11000, memoryNodeMib: 1000, diskTotalMib: 10000, cpuTotal: 4 };
  const tested = aNode({ ...node, cpuNode: 0, spindleTotal: 2, ...one.node });
  const there = anInstance({ name: "there", memoryMib: 1, diskMib: 1, primary: 0, ...one.there });
  const data = aCluster({
    groups: [aGroup({ policy })],
    nodes: [tested, aNode({ name: "node2" }), aNode({ name: "node3" })],
    instances: one.there === undefined ? [] : [there],
    tags: ["htools:iextags:service"],
  });
  const cluster = loadCluster(data);
  const added = anInstance({ memoryMib: 1000, diskMib: 1000, diskTemplate: "plain", ...one.add });
  return { cluster, instance: makeInstance(added, -1, cluster.tagRules) };
}

const nameOf = (misfit: number) => (misfit === fits ? "fits" : misfitNames[misfit]);
const drbd = { diskTemplate: "drbd" } as const;
const exclusive = { exclusiveStorage: true, spindleFree: 2 };
const disk = (spindles: number | undefined) => ({ disks: [{ sizeMib: 1000, spindles }] });
const reservation = { ...drbd, forthcoming: true };
/** Mirrored here, so that the node keeps 4000 MiB for the failure of node2. */
const mirrored = { ...drbd, memoryMib: 4000, primary: 1, secondary: 0 };

describe("a primary", () => {
  const cases: readonly Case[] = [
    { why: "1 MiB memory left is a fit", add: { memoryMib: 9999 }, result: "fits" },
    {
      why: "no memory left is FailMem, whatever the force",
      add: { memoryMib: 10000 },
      result: "FailMem",
    },
    { why: "1 MiB disk left is a fit", add: { diskMib: 9999 }, result: "fits" },
    {
      why: "no disk left is FailDisk, whatever the force",
      add: { diskMib: 10000 },
      result: "FailDisk",
    },
    {
      why: "memory is named before disk",
      add: { memoryMib: 10000, diskMib: 10000 },
      result: "FailMem",
    },
    {
      why: "disks elsewhere need no disk here",
      add: { diskMib: 99999, diskTemplate: "ext" },
      result: "fits",
    },
    {
      why: "files are not counted as disk",
      add: { diskMib: 99999, diskTemplate: "file" },
      result: "fits",
    },
    { why: "the last spindle is a fit", node: exclusive, add: disk(2), result: "fits" },
    {
      why: "one spindle too many is FailSpindles",
      node: exclusive,
      add: disk(3),
      result: "FailSpindles",
    },
    {
      why: "an unknown number of spindles never fits",
      node: exclusive,
      add: disk(undefined),
      result: "FailSpindles",
    },
    {
      why: "disks elsewhere need no spindles",
      node: exclusive,
      add: { ...disk(undefined), diskTemplate: "ext" },
      result: "fits",
    },
    {
      why: "disk is named before spindles",
      node: exclusive,
      add: { ...disk(3), diskMib: 10000 },
      result: "FailDisk",
    },
    { why: "spindle use up to ratio times spindles", add: { spindleUse: 8 }, result: "fits" },
    {
      why: "more spindle use is FailDisk",
      add: { spindleUse: 9 },
      result: "FailDisk",
      forced: "fits",
    },
    {
      why: "spindle use does not count with exclusive storage",
      node: exclusive,
      add: { ...disk(1), spindleUse: 9 },
      result: "fits",
    },
    {
      why: "1 MiB beside what is kept for node2",
      there: mirrored,
      add: { memoryMib: 5999 },
      result: "fits",
    },
    {
      why: "what is kept for node2 is all that is left",
      there: mirrored,
      add: { memoryMib: 6000 },
      result: "FailMem",
      forced: "fits",
    },
    {
      why: "what was not there before is not asked for",
      node: { memoryFreeMib: 3999 },
      there: mirrored,
      add: { memoryMib: 3998 },
      result: "fits",
    },
    {
      why: "exactly what is kept is there at first",
      node: { memoryFreeMib: 4000 },
      there: mirrored,
      add: { memoryMib: 100 },
      result: "FailMem",
      forced: "fits",
    },
    { why: "vCPUs up to ratio times CPUs", add: { vcpus: 16 }, result: "fits" },
    { why: "one vCPU more is FailCPU", add: { vcpus: 17 }, result: "FailCPU", forced: "fits" },
    {
      why: "the node's own CPU counts",
      node: { cpuNode: 1 },
      add: { vcpus: 16 },
      result: "FailCPU",
      forced: "fits",
    },
    { why: "a negative ratio is no limit", vcpuRatio: -1, add: { vcpus: 99 }, result: "fits" },
    {
      why: "an offline instance needs no vCPUs",
      add: { vcpus: 17, status: "ADMIN_offline" },
      result: "fits",
    },
    {
      why: "a stopped instance's vCPUs count",
      add: { vcpus: 17, status: "ADMIN_down" },
      result: "FailCPU",
      forced: "fits",
    },
    {
      why: "the same exclusion tag is FailTags",
      there: { tags: ["service:a"] },
      add: { tags: ["service:a"] },
      result: "FailTags",
      forced: "fits",
    },
    {
      why: "another exclusion tag is a fit",
      there: { tags: ["service:a"] },
      add: { tags: ["service:b"] },
      result: "fits",
    },
    {
      why: "other tags do not exclude",
      there: { tags: ["x"] },
      add: { tags: ["x"] },
      result: "fits",
    },
    {
      why: "vCPUs are named before tags",
      there: { tags: ["service:a"] },
      add: { tags: ["service:a"], vcpus: 17 },
      result: "FailCPU",
      forced: "fits",
    },
    {
      why: "a stopped instance takes no memory, but plans to",
      add: { memoryMib: 10000, status: "ADMIN_down" },
      result: "FailMem",
      forced: "fits",
    },
    {
      why: "memory planned for a reservation is kept",
      there: { ...reservation, memoryMib: 5000 },
      add: { memoryMib: 5000 },
      result: "FailMem",
      forced: "fits",
    },
    {
      why: "beside a reservation 1 MiB is left",
      there: { ...reservation, memoryMib: 5000 },
      add: { memoryMib: 4999 },
      result: "fits",
    },
    {
      why: "disk planned for a reservation is kept",
      there: { ...reservation, diskMib: 5000 },
      add: { diskMib: 5000 },
      result: "FailDisk",
      forced: "fits",
    },
    {
      why: "spindles planned for a reservation are kept",
      node: exclusive,
      there: { ...reservation, ...disk(1) },
      add: disk(2),
      result: "FailSpindles",
      forced: "fits",
    },
    {
      why: "spindle use planned for a reservation is kept",
      there: { ...reservation, spindleUse: 4 },
      add: { spindleUse: 5 },
      result: "FailDisk",
      forced: "fits",
    },
    {
      why: "vCPUs planned for a reservation are kept",
      there: { ...reservation, vcpus: 8 },
      add: { vcpus: 9 },
      result: "FailCPU",
      forced: "fits",
    },
    {
      why: "a reservation's tags exclude a real instance",
      there: { ...reservation, tags: ["service:a"] },
      add: { tags: ["service:a"] },
      result: "FailTags",
      forced: "fits",
    },
    {
      why: "nothing real keeps a reservation out",
      there: mirrored,
      add: { forthcoming: true, memoryMib: 9999 },
      result: "fits",
    },
    {
      why: "plans keep a reservation out",
      add: { forthcoming: true, memoryMib: 10000 },
      result: "FailMem",
      forced: "fits",
    },
    {
      why: "tags do not keep a reservation out",
      there: { tags: ["service:a"] },
      add: { forthcoming: true, tags: ["service:a"] },
      result: "fits",
    },
  ];
  test.each(cases)("$why", (one) => {
    for (const [force, result] of [
      [false, one.result],
      [true, one.forced ?? one.result],
    ] as const) {
      const { cluster, instance } = tried(one);
      expect(nameOf(addPrimary(cluster, instance, 9, 0, force, 0))).toBe(result);
    }
  });
});

describe("a secondary of node2", () => {
  const cases: readonly Case[] = [
    { why: "only drbd has one", add: { diskTemplate: "plain" }, result: "FailDisk" },
    { why: "1 MiB disk left is a fit", add: { ...drbd, diskMib: 9999 }, result: "fits" },
    {
      why: "no disk left is FailDisk, whatever the force",
      add: { ...drbd, diskMib: 10000 },
      result: "FailDisk",
    },
    {
      why: "the last spindle is a fit",
      node: exclusive,
      add: { ...drbd, ...disk(2) },
      result: "fits",
    },
    {
      why: "one spindle too many is FailSpindles",
      node: exclusive,
      add: { ...drbd, ...disk(3) },
      result: "FailSpindles",
    },
    {
      why: "spindle use up to ratio times spindles",
      add: { ...drbd, spindleUse: 8 },
      result: "fits",
    },
    {
      why: "more spindle use is FailDisk",
      add: { ...drbd, spindleUse: 9 },
      result: "FailDisk",
      forced: "fits",
    },
    {
      why: "1 MiB more than is to be kept for it",
      add: { ...drbd, memoryMib: 9999 },
      result: "fits",
    },
    {
      why: "all the memory there is is too much",
      add: { ...drbd, memoryMib: 10000 },
      result: "FailMem",
      forced: "fits",
    },
    {
      why: "what node2 has here already adds up",
      there: mirrored,
      add: { ...drbd, memoryMib: 6000 },
      result: "FailMem",
      forced: "fits",
    },
    {
      why: "1 MiB less beside it is a fit",
      there: mirrored,
      add: { ...drbd, memoryMib: 5999 },
      result: "fits",
    },
    {
      why: "what node3 has here does not add up",
      there: { ...mirrored, primary: 2 },
      add: { ...drbd, memoryMib: 9999 },
      result: "fits",
    },
    {
      why: "what was not there before is not asked for",
      node: { memoryFreeMib: 3999 },
      there: mirrored,
      add: { ...drbd, memoryMib: 3998 },
      result: "fits",
    },
    {
      why: "it must still be smaller than what is free",
      node: { memoryFreeMib: 3999 },
      there: mirrored,
      add: { ...drbd, memoryMib: 3999 },
      result: "FailMem",
      forced: "fits",
    },
    {
      why: "an offline instance needs no memory kept",
      add: { ...drbd, memoryMib: 99999, status: "ADMIN_offline" },
      result: "fits",
    },
    {
      why: "a stopped instance does",
      add: { ...drbd, memoryMib: 10000, status: "ADMIN_down" },
      result: "FailMem",
      forced: "fits",
    },
    {
      why: "one that is not balanced does not",
      add: { ...drbd, memoryMib: 99999, autoBalance: false },
      result: "fits",
    },
    {
      why: "disk planned for a reservation is kept",
      there: { ...reservation, diskMib: 5000 },
      add: { ...drbd, diskMib: 5000 },
      result: "FailDisk",
      forced: "fits",
    },
    {
      why: "memory planned for a reservation is kept",
      there: { ...reservation, memoryMib: 5000 },
      add: { ...drbd, memoryMib: 5000 },
      result: "FailMem",
      forced: "fits",
    },
    {
      why: "beside a reservation 1 MiB is left",
      there: { ...reservation, memoryMib: 5000 },
      add: { ...drbd, memoryMib: 4999 },
      result: "fits",
    },
    {
      why: "a mirrored reservation plans no memory here",
      there: { ...reservation, memoryMib: 9000, primary: 1, secondary: 0 },
      add: { ...drbd, memoryMib: 9000 },
      result: "fits",
    },
    {
      why: "vCPUs and tags are the primary's matter",
      there: { tags: ["service:a"] },
      add: { ...drbd, vcpus: 99, tags: ["service:a"] },
      result: "fits",
    },
    {
      why: "a reservation needs its disk planned",
      add: { ...reservation, diskMib: 10000 },
      result: "FailDisk",
      forced: "fits",
    },
  ];
  test.each(cases)("$why", (one) => {
    for (const [force, result] of [
      [false, one.result],
      [true, one.forced ?? one.result],
    ] as const) {
      const { cluster, instance } = tried(one);
      expect(nameOf(addSecondary(cluster, instance, 9, 0, 1, force))).toBe(result);
    }
  });

  test("is let in on a full disk if its disks are there already", () => {
    const { cluster, instance } = tried({ why: "", add: { ...drbd, diskMib: 10000 }, result: "" });
    expect(addSecondary(cluster, instance, 9, 0, 1, true, true)).toBe(fits);
  });
});

describe("removing", () => {
  test("the largest reservation leaves the second largest, an equal one keeps it", () => {
    const { cluster, instance } = tried({
      why: "",
      there: mirrored,
      add: { ...drbd, memoryMib: 3000 },
      result: "",
    });
    const kept = () => nodeFigures(cluster, 0).memoryReservedMib;
    addSecondary(cluster, instance, 9, 0, 1, false);
    expect(kept()).toBe(7000);
    removeSecondary(cluster, instance, 9, 0, 1);
    expect(kept()).toBe(4000);
    addSecondary(cluster, instance, 9, 0, 2, false);
    expect(kept()).toBe(4000);
    removeSecondary(cluster, cluster.instances[0] as Instance, 0, 0, 1);
    expect(kept()).toBe(3000);
    expect(nodeFigures(cluster, 0).peers).toEqual([[2, 3000]]);
  });

  test("spindles that nobody counted are not given back", () => {
    const { cluster, instance } = tried({
      why: "",
      node: exclusive,
      add: { ...disk(undefined), diskTemplate: "ext" },
      result: "",
    });
    addPrimary(cluster, instance, 9, 0, false, 0);
    removePrimary(cluster, instance, 9, 0, 0);
    expect(nodeFigures(cluster, 0).spindlesFree).toBe(-1);
  });

  test("an instance that is not listed under its own index stays listed", () => {
    const { cluster, instance } = tried({ why: "", add: {}, result: "" });
    addPrimary(cluster, instance, 9, 0, false, 0);
    removePrimary(cluster, instance, instance.index, 0, 0);
    expect(nodeFigures(cluster, 0)).toMatchObject({ primaries: [9], memoryUnallocatedMib: 10000 });
  });
});
