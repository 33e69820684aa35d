// Passes over more jobs than one step looks at.
import { createLockManager } from "@ganeti-ts/locking";
import { type JobId, type Json, systemClock, systemRandom } from "@ganeti-ts/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { JobQueue, MemoryDatabase, type MemoryStore } from "../src/index.js";

let store: MemoryStore;
let queue: JobQueue;
let steps = 0;

beforeEach(async () => {
  store = new MemoryDatabase(systemClock).connect();
  const { step } = store;
  steps = 0;
  store.step = (wanted, decide) => {
    steps++;
    return step.call(store, wanted, decide);
  };
  queue = await JobQueue.open({
    store,
    locks: createLockManager(),
    clock: systemClock,
    random: systemRandom,
    executor: { run: async () => "done" },
    lookMax: 10,
  });
});

afterEach(() => queue.stop());

const rule = (action: Json, name: string): Json => ({
  predicates: [["opcode", ["=", "OP_ID", name]]],
  action,
  priority: 0,
  reason: [],
});

const jobs = (count: number, OP_ID: string) => Array.from({ length: count }, () => [{ OP_ID }]);

/** Resolves when the job has that status. */
async function comesTo(id: number, status: string): Promise<void> {
  for (let tries = 0; tries < 4000; tries++) {
    const [row] = await queue.query([id as JobId], ["status"]);
    if (row?.[0] === status) return;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  throw new Error(`job ${id} has not become ${status}`);
}

test("a job behind many paused ones starts, after passes of several steps", async () => {
  await queue.addRule(rule("PAUSE", "OP_A"));
  await queue.submitMany([...jobs(100, "OP_A"), ...jobs(1, "OP_B")]);
  const before = steps;
  await comesTo(101, "success");
  expect(steps - before).toBeGreaterThanOrEqual(9);
  expect((await queue.whyNotRunning(50 as JobId)).map(({ kind }) => kind)).toEqual(["paused"]);
});

test("jobs that a rule rejects are all canceled, a few in each step", async () => {
  await queue.change({ runningMax: 0 });
  await queue.submitMany(jobs(300, "OP_A"));
  const before = steps;
  await queue.addRule(rule("REJECT", "OP_A"));
  await comesTo(300, "canceled");
  expect((await queue.live()).counts.get("canceled")).toBe(300);
  expect(steps - before).toBeGreaterThanOrEqual(30);
});

test("a pass goes on although one of its steps failed", async () => {
  await queue.change({ runningMax: 0 });
  await queue.submitMany(jobs(100, "OP_A"));
  await queue.addRule(rule("REJECT", "OP_A"));
  const { step } = store;
  store.step = () => {
    store.step = step;
    return Promise.reject(new Error("the disk is full"));
  };
  await comesTo(100, "canceled");
});
