import { aCluster, aNode } from "@ganeti-ts/testkit";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { loadCluster } from "../model/load.js";
import { changedVariance } from "./running-score.js";
import { scoreOf } from "./score-board.js";

test("rounding never makes an updated variance negative, and NaN becomes 0", () => {
  expect(changedVariance(1e-20, 1, 3, 0.1, 0.1000001)).toBeGreaterThanOrEqual(0);
  expect(changedVariance(0, 3, 3, 2, 1)).toBe(0);
  expect(changedVariance(Number.NaN, 1, 3, 0, 1)).toBe(0);
  expect(changedVariance(1, 1, 3, 0, Number.POSITIVE_INFINITY)).toBe(0);
});

test("the updated score equals a score computed from scratch", () => {
  const numbers = fc.array(fc.double({ min: -10, max: 10, noNaN: true }), {
    minLength: 2,
    maxLength: 9,
  });
  const property = fc.property(
    numbers,
    fc.nat(),
    fc.double({ min: -10, max: 10, noNaN: true }),
    (x, which, y) => {
      const at = which % x.length;
      const total = x.reduce((a, b) => a + b, 0);
      const changed = changedVariance(variance(x), total, x.length, x[at] as number, y);
      expect(changed).toBeCloseTo(variance(x.with(at, y)), 9);
    },
  );
  fc.assert(property);
});

function variance(x: readonly number[]): number {
  const mean = x.reduce((a, b) => a + b, 0) / x.length;
  return x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length;
}

test("nodes without memory have no score that is a number; without online nodes it is 0", () => {
  const zero = { memoryTotalMib: 0, memoryNodeMib: 0, memoryFreeMib: 0 };
  const cluster = (offline: boolean) =>
    loadCluster(aCluster({ nodes: ["a", "b"].map((name) => aNode({ name, ...zero, offline })) }));
  expect(scoreOf(cluster(false), [0, 1])).toBeNaN();
  expect(scoreOf(cluster(true), [0, 1])).toBe(0);
  expect(scoreOf(cluster(false), [])).toBe(0);
});
