import { createLockManager, type LockManager, lockName } from "@ganeti-ts/locking";
import { systemClock, systemRandom } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { JobQueue, MemoryDatabase } from "../src/index.js";

const turns = () => new Promise((resolve) => setTimeout(resolve, 5));

/** A promise, and what resolves it. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

const uuid = "00000000-0000-4000-8000-000000000001";

test("an opcode is not begun before it is durable that it runs, however late its last runner frees its locks", async () => {
  const database = new MemoryDatabase(systemClock);
  const store = database.connect();
  let undecided: Promise<void> | undefined;
  // Decisions are not stored until `undecided` is resolved.
  store.step = async (wanted, decide) => {
    await undefined;
    const held = undecided;
    if (held !== undefined) {
      const notYet = new Error("not yet");
      try {
        store.stepNow(wanted, (news) => {
          decide(news);
          throw notYet;
        });
      } catch (error) {
        if (error !== notYet) throw error;
      }
      await held;
    }
    store.stepNow(wanted, decide);
  };
  const manager = createLockManager();
  const freeing = gate();
  let freed = 0;
  const locks: LockManager = Object.assign(Object.create(manager), {
    acquire: manager.acquire.bind(manager),
    monitor: () => manager.monitor(),
    releaseAll: async (...given: Parameters<LockManager["releaseAll"]>) => {
      // The first attempt fails, so that locks are freed after the job was released.
      if (++freed === 1) throw new Error("not now");
      await freeing.opened;
      await manager.releaseAll(...given);
    },
  });
  const stored: (string | undefined)[] = [];
  let needsLock = true;
  const queue = await JobQueue.open({
    store,
    locks,
    clock: systemClock,
    random: systemRandom,
    executor: {
      locks: () => (needsLock ? [{ lock: lockName("instance", "a"), mode: "exclusive" }] : []),
      run: (_, { jobId }) => {
        stored.push(database.rows.get(jobId)?.status);
        return null;
      },
    },
  });
  const other = { id: 99, token: "other" };
  const lock = lockName("instance", "a");
  await manager.acquire(other, [{ lock, mode: "exclusive" }], { priority: 0 });
  const id = await queue.submit([{ OP_ID: "OP_A" }]);
  await turns();
  await queue.replaceRule(uuid, { action: "PAUSE" });
  while (freed < 2) await turns();
  needsLock = false;
  const keeping = gate();
  undecided = keeping.opened;
  const deleted = queue.deleteRule(uuid);
  await turns();
  freeing.open();
  await turns();
  expect([stored, database.rows.get(id)?.status]).toEqual([[], "queued"]);
  undecided = undefined;
  keeping.open();
  await deleted;
  await queue.idle();
  expect(stored).toEqual(["running"]);
  await queue.stop();
});
