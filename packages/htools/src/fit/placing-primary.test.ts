// Checks that only apply to a primary, each at its bound, and the removal of a primary.
import { describe, expect, test } from "vitest";
import {
  asPrimary,
  disk,
  exclusive,
  mirrored,
  reservation,
  testCases,
  tried,
} from "../../test/placing-trial.js";
import { nodeFigures } from "../text/node-figures.js";
import { addPrimary, removePrimary } from "./placing.js";

describe("a primary", () => {
  testCases(asPrimary, [
    { why: "1 MiB memory left is a fit", add: { memoryMib: 9999 }, result: "fits" },
    {
      why: "no memory left is FailMem, whatever the force",
      add: { memoryMib: 10000 },
      result: "FailMem",
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
    {
      why: "disks elsewhere need no spindles",
      node: exclusive,
      add: { ...disk(undefined), diskTemplate: "ext" },
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
      why: "a stopped instance takes no memory, but plans to",
      add: { memoryMib: 10000, status: "ADMIN_down" },
      result: "FailMem",
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
  ]);
});

describe("removing a primary", () => {
  test("removing a primary returns no spindles if their number is unknown", () => {
    const { cluster, instance } = tried({
      node: exclusive,
      add: { ...disk(undefined), diskTemplate: "ext" },
    });
    addPrimary(cluster, instance, 9, 0, false, 0);
    removePrimary(cluster, instance, 9, 0, 0);
    expect(nodeFigures(cluster, 0).spindlesFree).toBe(-1);
  });

  test("an instance that is not listed under its own index stays listed", () => {
    const { cluster, instance } = tried({ add: {} });
    addPrimary(cluster, instance, 9, 0, false, 0);
    removePrimary(cluster, instance, instance.index, 0, 0);
    expect(nodeFigures(cluster, 0)).toMatchObject({ primaries: [9], memoryUnallocatedMib: 10000 });
  });
});
