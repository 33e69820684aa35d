import { createLockManager } from "@ganeti-ts/locking";
import type { Json } from "@ganeti-ts/protocol";
import { systemClock, systemRandom } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { JobQueue, MemoryDatabase } from "../src/index.js";

const turns = () => new Promise((resolve) => setTimeout(resolve, 5));

test("what ends after the grace, while the last step is under way, is not run again", async () => {
  const store = new MemoryDatabase(systemClock).connect();
  const step = store.step.bind(store);
  let goOn: Promise<void> | undefined;
  // Kept, but not known to be: as long as `goOn` is not resolved.
  store.step = async (wanted, decide) => {
    await step(wanted, decide);
    await goOn;
  };
  let begun = 0;
  let end: (result: Json) => void = () => {};
  const run = () => {
    begun++;
    return new Promise<Json>((resolve) => {
      end = resolve;
    });
  };
  const queue = await JobQueue.open({
    store,
    locks: createLockManager(),
    clock: systemClock,
    random: systemRandom,
    executor: { run },
  });
  const id = await queue.submit([{ OP_ID: "OP_A" }]);
  await turns();
  expect(begun).toBe(1);

  let open = () => {};
  goOn = new Promise((resolve) => {
    open = resolve;
  });
  const canceled = queue.cancel(id).catch((error: Error) => error);
  await turns();
  const stopped = queue.stop({ graceMs: 0 });
  await turns();
  end("late");
  await turns();
  open();
  await canceled;
  await stopped;
  await turns();
  expect(begun).toBe(1);
});
