import * as fc from "fast-check";
import { expect, test } from "vitest";
import { bar, percent } from "./bar.js";
import { sizeText } from "./sizes.js";

test.each<[number[], number, string]>([
  [[5], 10, "█████░░░░░"],
  [[5, 2], 10, "█████▒▒░░░"],
  [[0, 2], 10, "▒▒░░░░░░░░"],
  [[10], 10, "██████████"],
  [[12, 3], 10, "██████████"],
  [[0.1], 10, "█░░░░░░░░░"],
  [[5, 0.1], 10, "█████▒░░░░"],
  [[-1], 10, "░░░░░░░░░░"],
  [[0], 0, "          "],
  [[1], Number.NaN, "          "],
])("%j of %d is %s", (parts, total, text) => {
  expect(bar(parts, total, 10)).toBe(text);
});

test("a bar has the requested length, and a larger part never gets shorter", () => {
  const filled = (text: string) => [...text].filter((letter) => letter !== "░").length;
  fc.assert(
    fc.property(fc.double(), fc.double(), fc.double(), fc.nat(40), (a, b, total, width) => {
      expect(bar([a, b], total, width)).toHaveLength(width);
      if (a > 0 && b > 0 && total > 0) {
        expect(filled(bar([a, b], total, width))).toBeGreaterThanOrEqual(
          filled(bar([a], total, width)),
        );
      }
    }),
  );
});

test("shares of an empty total are shown as empty", () => {
  expect([percent(1, 3), percent(2, 3), percent(0, 0)]).toEqual(["33%", "67%", ""]);
});

test.each([
  [0, "0 MiB"],
  [999, "999 MiB"],
  [1000, "0.977 GiB"],
  [1024, "1 GiB"],
  [64000, "62.5 GiB"],
  [1843200, "1.76 TiB"],
  [-2048, "-2 GiB"],
])("%d MiB is %s", (mib, text) => {
  expect(sizeText(mib)).toBe(text);
});
