import type { InstanceData, InstancePolicy } from "@ganeti-ts/protocol";
import { anInstance, aPolicy, aSpec } from "@ganeti-ts/testkit";
import { expect, test } from "vitest";
import { makeInstance } from "../model/instance.js";
import { TagRules } from "../model/tag-rules.js";
import { fits, misfitNames } from "./misfit.js";
import { policyMisfit } from "./policy-check.js";

const min = aSpec({ memoryMib: 100, cpuCount: 2, diskMib: 1000, diskCount: 2, spindleUse: 2 });
const max = aSpec({ memoryMib: 200, cpuCount: 4, diskMib: 2000, diskCount: 3, spindleUse: 4 });
const policy = aPolicy({ minMax: [{ min, max }], diskTemplates: ["drbd", "diskless"] });
const disks = (count: number, sizeMib = 1000, spindles: number | undefined = 1) =>
  Array.from({ length: count }, () => ({ sizeMib, spindles }));

/** Fits `min` exactly. */
const smallest = { memoryMib: 100, vcpus: 2, disks: disks(2), spindleUse: 2 };
const largest = { memoryMib: 200, vcpus: 4, disks: disks(3, 2000), spindleUse: 4 };

function check(change: Partial<InstanceData>, by: InstancePolicy = policy, exclusive = false) {
  const instance = makeInstance(anInstance({ ...smallest, ...change }), -1, new TagRules([]));
  const misfit = policyMisfit(instance, by, exclusive);
  return misfit === fits ? "fits" : misfitNames[misfit];
}

test.each([
  { why: "the smallest allowed", change: {}, result: "fits" },
  { why: "the largest allowed", change: largest, result: "fits" },
  { why: "memory below", change: { memoryMib: 99 }, result: "FailMem" },
  { why: "memory above", change: { memoryMib: 201 }, result: "FailMem" },
  { why: "any disk below", change: { disks: [...disks(1), ...disks(1, 999)] }, result: "FailDisk" },
  {
    why: "any disk above",
    change: { disks: [...disks(1), ...disks(1, 2001)] },
    result: "FailDisk",
  },
  { why: "vCPUs below", change: { vcpus: 1 }, result: "FailCPU" },
  { why: "vCPUs above", change: { vcpus: 5 }, result: "FailCPU" },
  { why: "spindle use below", change: { spindleUse: 1 }, result: "FailSpindles" },
  { why: "spindle use above", change: { spindleUse: 5 }, result: "FailSpindles" },
  { why: "too few disks", change: { disks: disks(1) }, result: "FailDiskCount" },
  { why: "too many disks", change: { disks: disks(4) }, result: "FailDiskCount" },
  {
    why: "no disks, where there are to be none",
    change: { diskTemplate: "diskless", disks: [] },
    result: "fits",
  },
  { why: "a template not allowed", change: { diskTemplate: "plain" }, result: "FailDisk" },
  { why: "too little before too much", change: { memoryMib: 201, vcpus: 1 }, result: "FailCPU" },
  {
    why: "memory before disks",
    change: { memoryMib: 99, disks: disks(2, 999) },
    result: "FailMem",
  },
  {
    why: "spindle use before the number of disks",
    change: { disks: disks(1), spindleUse: 1 },
    result: "FailSpindles",
  },
  {
    why: "bounds before the template",
    change: { memoryMib: 99, diskTemplate: "plain" },
    result: "FailMem",
  },
] as const)("$why: $result", ({ change, result }) => {
  expect(check(change)).toBe(result);
});

test("with exclusive storage the spindles of the disks count instead of the spindle use", () => {
  const exclusive = (change: Partial<InstanceData>) => check(change, policy, true);
  expect(exclusive({ spindleUse: 9 })).toBe("fits");
  expect(exclusive({ disks: disks(2, 1000, 2) })).toBe("fits");
  expect(exclusive({ disks: disks(2, 1000, 3) })).toBe("FailSpindles");
  expect(exclusive({ disks: [{ sizeMib: 1000, spindles: undefined }, ...disks(1)] })).toBe(
    "FailSpindles",
  );
});

test("one of several bounds is enough; if none, the first says why", () => {
  const other = {
    min: aSpec({ memoryMib: 1000, diskMib: 1 }),
    max: aSpec({ memoryMib: 2000, diskCount: 9, diskMib: 9999, cpuCount: 9, spindleUse: 9 }),
  };
  const several = { ...policy, minMax: [{ min, max }, other] };
  expect(check({ memoryMib: 1500 }, several)).toBe("fits");
  expect(check({ vcpus: 1 }, several)).toBe("FailCPU");
  expect(check({ memoryMib: 99999, vcpus: 99 }, { ...policy, minMax: [] })).toBe("fits");
});
