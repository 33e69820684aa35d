// Jobs that have just ended are read from memory, as the store has them. Seen to fail with rows that outlive the archive,
// with a shared store, and without the limit.
import { createLockManager } from "@ganeti-ts/locking";
import { type JobId, systemClock, systemRandom } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { JobQueue, MemoryDatabase } from "../src/index.js";

/** @param shared whether others may write to the store */
async function openQueue(shared: boolean) {
  const store = Object.assign(new MemoryDatabase(systemClock).connect(), { shared });
  const asked: JobId[] = [];
  const read = store.read.bind(store);
  store.read = (ids) => {
    asked.push(...ids);
    return read(ids);
  };
  const queue = await JobQueue.open({
    store,
    locks: createLockManager(),
    clock: systemClock,
    random: systemRandom,
    executor: { run: async () => "done" },
  });
  const run = async (osparams_secret = {}) => {
    const id = await queue.submit([{ OP_ID: "OP_A", osparams_secret }]);
    await queue.wait(id);
    return id;
  };
  return { queue, store, asked, run };
}

test("an ended job is read as the store has it, without asking the store", async () => {
  const { queue, store, asked, run } = await openQueue(false);
  const id = await run({ password: "secret" });
  asked.length = 0;
  const shown = await queue.wait(id);
  expect(asked).toEqual([]);
  const [row] = await store.read([id]);
  expect(shown).toEqual(row?.job);
  expect(shown.opcodes[0]?.input).toMatchObject({ osparams_secret: { password: "<redacted>" } });
  await queue.archive(id);
  expect(await queue.query([id], ["archived"])).toEqual([[true]]);
  await queue.stop({ graceMs: 0 });
});

test("an ended job of a store that others write to is read there", async () => {
  const { queue, asked, run } = await openQueue(true);
  const id = await run();
  asked.length = 0;
  await queue.wait(id);
  expect(asked).toEqual([id]);
  await queue.stop({ graceMs: 0 });
});

test("only the last ended jobs are in memory", async () => {
  const { queue, asked, run } = await openQueue(false);
  const first = await run();
  for (let more = 0; more < 256; more++) await run();
  asked.length = 0;
  expect(await queue.query([first], ["status"])).toEqual([["success"]]);
  expect(asked).toEqual([first]);
  await queue.stop({ graceMs: 0 });
});
