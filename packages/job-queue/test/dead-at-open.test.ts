import { createLockManager } from "@ganeti-ts/locking";
import { type Clock, systemRandom as random } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { JobQueue, MemoryDatabase } from "../src/index.js";

const turns = () => new Promise((resolve) => setImmediate(resolve));

/** Time that passes on request. */
class HandClock implements Clock {
  #nowMs = 0;
  readonly #timers = new Set<{ readonly at: number; readonly then: () => void }>();
  now = () => this.#nowMs;
  wallMicros = () => 1e15 + this.#nowMs * 1000;

  after(delayMs: number, then: () => void) {
    const timer = { at: this.#nowMs + delayMs, then };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  async pass(ms: number) {
    await turns();
    this.#nowMs += ms;
    for (const timer of this.#timers) {
      if (timer.at > this.#nowMs) continue;
      this.#timers.delete(timer);
      timer.then();
    }
    for (let turn = 0; turn < 10; turn++) await turns();
  }
}

test("a queue opens while calls of a dead worker may still take effect, and only its jobs wait for them", async () => {
  const clock = new HandClock();
  const database = new MemoryDatabase(clock);
  const locks = createLockManager();
  const opening = JobQueue.open({
    store: database.connect(),
    ...{ locks, clock, random },
    executor: { run: () => new Promise<null>(() => {}) },
  });
  await clock.pass(10);
  const dead = await opening;
  const id = await dead.submit([{ OP_ID: "OP_A" }]);
  await clock.pass(10);
  await Promise.all([dead.stop({ graceMs: 0 }), clock.pass(10)]);

  let ended = () => {};
  const callsEnded = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const reopening = JobQueue.open({
    store: database.connect(),
    ...{ locks, clock, random },
    executor: { run: () => null },
    effectTakers: { learnFenced() {}, refuse: () => callsEnded },
  });
  await clock.pass(60_000);
  const queue = await reopening;
  const other = await queue.submit([{ OP_ID: "OP_B" }]);
  await clock.pass(1000);
  expect(await queue.query([id, other], ["status"])).toEqual([["running"], ["success"]]);
  ended();
  await clock.pass(1000);
  expect(await queue.query([id], ["status"])).toEqual([["error"]]);
  await Promise.all([queue.stop(), clock.pass(10)]);
});
