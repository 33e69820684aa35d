import { JobQueue, MemoryDatabase } from "@ganeti-ts/job-queue";
import { createLockManager } from "@ganeti-ts/locking";
import { systemClock as clock, type JobId, systemRandom as random } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { gaugesOf } from "./gauges.js";

test("gauges of jobs are read without reading the jobs", async () => {
  const store = new MemoryDatabase(clock).connect();
  const queue = await JobQueue.open({ store, locks: createLockManager(), clock, random });
  await queue.submitMany(Array.from({ length: 300 }, () => [{ OP_ID: "OP_TEST_DUMMY" }]));
  await Promise.all([1, 2, 3].map((id) => queue.cancel(id as JobId)));
  const looked: string[] = [];
  store.read = () => Promise.reject(looked.push("read"));
  store.list = () => Promise.reject(looked.push("list"));
  const others = { config: {}, locks: {}, placement: {} } as never;
  const jobs = gaugesOf({ queue, ...(others as object) } as never).find(
    ({ name }) => name === "ganeti_jobs",
  );
  expect(await jobs?.read()).toEqual({ canceled: 3, queued: 297 });
  expect(looked).toEqual([]);
  await queue.stop();
});

test("locks of jobs and permanent locks of servers are counted separately", async () => {
  const row = (lock: string, owner: readonly string[], pending: readonly unknown[] = []) => {
    return { lock, mode: "exclusive", owner, pending };
  };
  const rows = [
    row("cluster/watcher", ['"watcher"']),
    row("instance/web", ["12"], [["exclusive", ["13"]]]),
    row("instance/db", []),
  ];
  const locks = { monitor: async () => rows };
  const gauges = gaugesOf({ locks } as never);
  const gauge = gauges.find(({ name }) => name === "ganeti_locks");
  expect(await gauge?.read()).toEqual({ held: 1, held_by_servers: 1, waited_for: 1 });
});
