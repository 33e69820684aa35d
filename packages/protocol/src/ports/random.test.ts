import { expect, test } from "vitest";
import { randomHex, secureRandom } from "./random.js";

test("secureRandom never repeats a fraction, however many are drawn", () => {
  const all = Array.from({ length: 2000 }, () => secureRandom.fraction());
  expect(all.every((value) => value >= 0 && value < 1)).toBe(true);
  // Two of 2 000 are equal once in 2 000 runs.
  expect(new Set(all).size).toBeGreaterThan(1998);
  expect(new Set(Array.from({ length: 2000 }, () => randomHex(secureRandom, 16))).size).toBe(2000);
});
