import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { paced } from "../src/api/live.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("requests during a long reading cause one further reading, after a pause", async () => {
  const readings: ((isAnswered: boolean) => void)[] = [];
  const { ask, stop } = paced(() => new Promise((end) => void readings.push(end)), 30_000);
  for (let change = 0; change < 50; change++) {
    await vi.advanceTimersByTimeAsync(1000);
    ask();
  }
  expect(readings).toHaveLength(1);
  // Five times the duration is longer than the requested pause.
  readings[0]?.(true);
  await vi.advanceTimersByTimeAsync(249_000);
  expect(readings).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(readings).toHaveLength(2);
  readings[1]?.(true);
  await vi.advanceTimersByTimeAsync(1_000_000);
  expect(readings).toHaveLength(2);
  ask();
  expect(readings).toHaveLength(3);
  readings[2]?.(true);
  ask();
  await vi.advanceTimersByTimeAsync(29_999);
  expect(readings).toHaveLength(3);
  await vi.advanceTimersByTimeAsync(1);
  expect(readings).toHaveLength(4);
  stop();
});

test("a reading without an answer is repeated soon, however long it took", async () => {
  const readings: ((isAnswered: boolean) => void)[] = [];
  const { ask, stop } = paced(() => new Promise((end) => void readings.push(end)), 30_000);
  await vi.advanceTimersByTimeAsync(30_000);
  readings[0]?.(false);
  ask();
  await vi.advanceTimersByTimeAsync(400);
  expect(readings).toHaveLength(2);
  stop();
});
