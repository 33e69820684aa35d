import { expect, test } from "vitest";
import { ganetiTimeouts, nextAttempt } from "./attempts.js";

test("M12: 28 attempts in half an hour, then a better priority, and in the end without limit", () => {
  const timeouts = ganetiTimeouts(() => 0.5);
  const list = Array.from({ length: 29 }, (_, attempt) => timeouts(attempt));
  expect(list.slice(0, 5).map((ms) => Math.round(ms as number))).toEqual([
    5000, 7947, 14182, 29252, 72307,
  ]);
  expect(new Set(list.slice(5, 28))).toEqual(new Set([75_000]));
  expect(list[28]).toBeUndefined();
  const sum = list.reduce<number>((total, ms) => total + (ms ?? 0), 0);
  expect(Math.round(sum / 100) / 10).toBe(1853.7);

  let state = { priority: 0, attempt: 0 };
  const made = new Map<number, number>();
  for (;;) {
    const { priority, timeoutMs, failed } = nextAttempt(state, timeouts);
    if (timeoutMs === undefined) {
      expect(priority).toBe(-20);
      break;
    }
    if (failed.attempt === 1) expect(timeoutMs).toBe(5000);
    made.set(priority, (made.get(priority) ?? 0) + 1);
    state = failed;
  }
  expect([...made]).toEqual(Array.from({ length: 21 }, (_, step) => [0 - step, 28]));
});

test("timeouts vary by five in a hundred either way", () => {
  expect(ganetiTimeouts(() => 0)(0)).toBeCloseTo(4750);
  expect(ganetiTimeouts(() => 1)(0)).toBeCloseTo(5250);
});
