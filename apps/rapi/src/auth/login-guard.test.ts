import { VirtualClock } from "@ganeti-ts/testkit/simulation";
import { expect, test } from "vitest";
import { forgottenAfterMs, LoginGuard, userDelayMaxMs } from "./login-guard.js";

const [bad, other] = ["198.51.100.1", "203.0.113.9"];

/** A guard that has seen these failures. */
function aGuard(...failures: readonly (readonly [user: string, address: string])[]) {
  const clock = new VirtualClock();
  const guard = new LoginGuard(clock);
  for (const [user, address] of failures) guard.failed(user, address);
  return { clock, guard };
}
const times = <Value>(count: number, value: Value): Value[] => Array(count).fill(value);

test("three failures of an address cause no delay; then each one increases it, up to eight seconds", async () => {
  const { clock, guard } = aGuard();
  const delays = [];
  for (let at = 0; at < 12; at++) {
    const delayMs = guard.delayMs(`user${at}`, bad) ?? Number.NaN;
    delays.push(delayMs);
    await clock.pass(delayMs);
    guard.failed(`user${at}`, bad);
  }
  expect(delays).toEqual([0, 0, 0, 250, 500, 1000, 2000, 4000, 8000, 8000, 8000, 8000]);
});

test("simultaneous attempts are queued, and refused if they would wait for more than ten seconds", () => {
  const { guard } = aGuard(...times(5, ["jack", bad] as const));
  const delays = Array.from({ length: 14 }, () => guard.delayMs("rita", bad));
  expect(delays).toEqual([
    ...[1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 10_000],
    ...times(4, undefined),
  ]);
  expect(() => guard.admitted("rita", bad)).toThrow("Too many failed logins from 198.51.100.1");
});

test("a user under attack waits at most two seconds at another address, however many attempts there are", () => {
  const attack = Array.from({ length: 500 }, (_, at) => ["jack", `192.0.2.${at}`] as const);
  const { guard } = aGuard(...attack);
  expect(times(50, 0).map(() => guard.delayMs("jack", other))).toEqual(times(50, userDelayMaxMs));
  expect(guard.delayMs("rita", other)).toBe(0);
});

test("a user who has logged in from an address before does not wait there until three failures of that user", async () => {
  const { guard, clock } = aGuard();
  guard.succeeded("jack", other);
  for (let at = 0; at < 30; at++) guard.failed("jack", bad);
  for (let at = 0; at < 30; at++) guard.failed("rita", other);
  expect(guard.delayMs("jack", other)).toBe(0);
  for (let at = 0; at < 2; at++) guard.failed("jack", other);
  guard.succeeded("jack", other);
  expect(guard.delayMs("jack", other)).toBe(0);
  // Successes in between do not allow further guesses without a delay.
  guard.failed("jack", other);
  guard.succeeded("jack", other);
  expect(guard.delayMs("jack", other)).toBeGreaterThan(0);
  await clock.pass(forgottenAfterMs);
  expect(guard.delayMs("jack", other)).toBe(0);
});

test("failures expire a quarter of an hour after the last one, and successes remove none", async () => {
  const { clock, guard } = aGuard(...times(9, ["jack", bad] as const));
  await clock.pass(forgottenAfterMs - 1);
  guard.succeeded("mallory", bad);
  expect(guard.delayMs("rita", bad)).toBe(0);
  expect(guard.delayMs("rita", bad)).toBe(8000);
  await clock.pass(1);
  expect(guard.delayMs("jack", other)).toBe(0);
  await clock.pass(8000);
  expect(guard.delayMs("rita", bad)).toBe(0);
  expect(guard.delayMs("rita", bad)).toBe(0);
});

test("the number of remembered users and addresses is limited to the latest ones", () => {
  const { guard } = aGuard(...times(9, ["first", "192.0.2.1"] as const));
  for (let at = 0; at < 10_001; at++) guard.failed(`user${at}`, `address${at}`);
  expect(guard.delayMs("first", "192.0.2.1")).toBe(0);
});

test("an attempt is admitted when its delay has passed on the clock", async () => {
  const { clock, guard } = aGuard(...times(4, ["jack", bad] as const));
  let isIn = false;
  const waiting = guard.admitted("jack", bad)?.then(() => {
    isIn = true;
  });
  await clock.pass(499);
  expect(isIn).toBe(false);
  await clock.pass(1);
  await waiting;
  expect(guard.admitted("rita", other)).toBeUndefined();
});
