import { createLockManager } from "@ganeti-ts/locking";
import { systemRandom as random } from "@ganeti-ts/protocol";
import { VirtualClock } from "@ganeti-ts/testkit/simulation";
import { expect, test } from "vitest";
import { JobQueue, MemoryDatabase } from "../src/index.js";

test("a queue opens while calls of a dead worker may still take effect, and only its jobs wait for them", async () => {
  const clock = new VirtualClock();
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
