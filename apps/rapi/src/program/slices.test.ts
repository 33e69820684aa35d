import { expect, test } from "vitest";
import { inSlices } from "./slices.js";

function* steps(count: number, done: () => void) {
  for (let at = 0; at < count; at++) {
    const end = performance.now() + 1;
    while (performance.now() < end);
    yield;
  }
  done();
}

test("others have their turn while it goes on, and it comes to its end", async () => {
  let turns = 0;
  const other = setInterval(() => turns++, 1);
  await new Promise<void>((resolve) => inSlices(steps(40, resolve)));
  clearInterval(other);
  expect(turns).toBeGreaterThan(3);
});

test("what is stopped goes on no more", async () => {
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
