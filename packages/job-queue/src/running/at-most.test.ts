import type { Clock } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { atMost } from "./at-most.js";

/** A clock whose only timer fires when the test says so. */
function handClock() {
  let timer: (() => void) | undefined;
  const clock: Clock = {
    now: () => 0,
    wallMicros: () => 0,
    after: (_ms, then) => {
      timer = then;
      return () => {
        timer = undefined;
      };
    },
  };
  return { clock, fire: () => timer?.(), isSet: () => timer !== undefined };
}

test("a wait with a limit ends with its work and cancels the timer", async () => {
  const { clock, isSet } = handClock();
  let end = () => {};
  const waited = atMost(clock, 100, new Promise<void>((resolve) => (end = resolve)));
  expect(isSet()).toBe(true);
  end();
  await waited;
  expect(isSet()).toBe(false);
});

test("a wait with a limit ends when the time is over although its work goes on", async () => {
  const { clock, fire } = handClock();
  const waited = atMost(clock, 100, new Promise<void>(() => {}));
  fire();
  await expect(waited).resolves.toBeUndefined();
});

test("a wait with a limit cancels the timer also if its work fails", async () => {
  const { clock, isSet } = handClock();
  await expect(atMost(clock, 100, Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(isSet()).toBe(false);
});
