import { afterEach, expect, test, vi } from "vitest";
import { forAtMost, inSlices, turns } from "./slices.js";

afterEach(() => void vi.restoreAllMocks());

function* steps(count: number, done: () => void) {
  for (let at = 0; at < count; at++) {
    const end = performance.now() + 1;
    while (performance.now() < end);
    yield;
  }
  done();
}

test("other work runs between slices, and the work is completed", async () => {
  let turns = 0;
  const other = setInterval(() => turns++, 1);
  await new Promise<void>((resolve) => inSlices(steps(40, resolve)));
  clearInterval(other);
  expect(turns).toBeGreaterThan(3);
});

test("stopped work does not continue", async () => {
  let isDone = false;
  const stop = inSlices(
    steps(20, () => {
      isDone = true;
    }),
  );
  await new Promise((resolve) => setTimeout(resolve, 10));
  stop();
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(isDone).toBe(false);
});

test("awaited work also lets other work run, and stops in time", async () => {
  let turns = 0;
  let isDone = false;
  const other = setInterval(() => turns++, 1);
  const work = steps(60, () => {
    isDone = true;
  });
  await forAtMost(20, work);
  expect(isDone).toBe(false);
  await forAtMost(20_000, work);
  clearInterval(other);
  expect(isDone).toBe(true);
  expect(turns).toBeGreaterThan(2);
});

test("a step that returns a promise is awaited", async () => {
  const said: string[] = [];
  function* work() {
    yield new Promise<void>((resolve) => setTimeout(resolve, 5)).then(() => said.push("waited"));
    said.push("next");
  }
  await forAtMost(20_000, work());
  expect(said).toEqual(["waited", "next"]);
});

test("many tasks of one piece of work share a slice, and other work runs after it", async () => {
  // Each reading of the clock is 1 ms after the previous one.
  let ms = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => ++ms);
  const turn = turns();
  let stepCount = 0;
  const longest: number[] = [];
  let before = 0;
  let isOver = false;
  const other = () => {
    longest.push(stepCount - before);
    before = stepCount;
    if (!isOver) setImmediate(other);
  };
  setImmediate(other);
  const task = async () => {
    for (let step = 0; step < 3; step++) {
      for (let over = turn(); over !== undefined; over = turn()) await over;
      stepCount++;
      await Promise.resolve();
    }
  };
  await Promise.all(Array.from({ length: 100 }, task));
  isOver = true;
  longest.push(stepCount - before);
  expect(stepCount).toBe(300);
  expect(Math.max(...longest)).toBeLessThan(10);
});
