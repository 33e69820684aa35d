// Checks that only apply to a secondary, each at its bound, and the removal of a secondary.
import { describe, expect, test } from "vitest";
import {
  asSecondary,
  drbd,
  mirrored,
  reservation,
  testCases,
  tried,
} from "../../test/placing-trial.js";
import type { Instance } from "../model/instance.js";
import { nodeFigures } from "../text/node-figures.js";
import { fits } from "./misfit.js";
import { addSecondary, removeSecondary } from "./placing.js";

describe("a secondary of node2", () => {
  testCases(asSecondary, [
    { why: "only drbd has one", add: { diskTemplate: "plain" }, result: "FailDisk" },
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
  ]);

  test("is let in on a full disk if its disks are there already", () => {
    const { cluster, instance } = tried({ add: { ...drbd, diskMib: 10000 } });
    expect(addSecondary(cluster, instance, 9, 0, 1, true, true)).toBe(fits);
  });
});

describe("removing a secondary", () => {
  test("the largest reservation leaves the second largest, an equal one keeps it", () => {
    const { cluster, instance } = tried({
      there: mirrored,
      add: { ...drbd, memoryMib: 3000 },
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
});
