import { expect, test } from "vitest";
import { Progress } from "../../../vitest.progress.js";

const files = new Map([
  ["a", 60],
  ["b", 30],
  ["c", 5],
  ["d", 5],
]);

test("the time left follows from the size of the files that have ended", () => {
  const progress = new Progress(files, 0);
  expect(progress.ended("a", 60_000)).toBe("1 of 4 files after 60 s, about 40 s left");
  expect(progress.ended("b", 540_000)).toBe("2 of 4 files after 9 min, about 60 s left");
});

test("a line is due for each tenth of the run, and none at its end", () => {
  const progress = new Progress(files, 0);
  expect(progress.ended("c", 1000)).toBeUndefined();
  expect(progress.ended("d", 2000)).toBe("2 of 4 files after 2 s, about 18 s left");
  expect(progress.ended("a", 3000)).toMatch(/^3 of 4/);
  expect(progress.ended("b", 4000)).toBeUndefined();
});
