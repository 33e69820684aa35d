import { expect, test } from "vitest";
import { forAtMost, inSlices } from "./slices.js";

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
