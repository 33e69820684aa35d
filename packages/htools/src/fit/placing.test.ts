// Checks that apply to primaries and secondaries alike, each at its bound.
import { describe } from "vitest";
import {
  asPrimary,
  asSecondary,
  type Case,
  disk,
  drbd,
  exclusive,
  mirrored,
  reservation,
  testCases,
} from "../../test/placing-trial.js";

const cases: readonly Case[] = [
  { why: "1 MiB disk left is a fit", add: { diskMib: 9999 }, result: "fits" },
  {
    why: "no disk left is FailDisk, whatever the force",
    add: { diskMib: 10000 },
    result: "FailDisk",
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
    why: "what was not there before is not asked for",
    node: { memoryFreeMib: 3999 },
    there: mirrored,
    add: { memoryMib: 3998 },
    result: "fits",
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
];

describe("a primary", () => testCases(asPrimary, cases));

describe("a secondary of node2", () => {
  const ofDrbd = cases.map((one) => ({ ...one, add: { ...one.add, ...drbd } }));
  testCases(asSecondary, ofDrbd);
});
