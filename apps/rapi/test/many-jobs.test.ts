import {
  type JobQueue,
  MemoryDatabase,
  type MemoryStore,
  JobQueue as Queue,
} from "@ganeti-ts/job-queue";
import { createLockManager } from "@ganeti-ts/locking";
import { type JobId, systemClock, systemRandom } from "@ganeti-ts/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { JobTexts } from "../src/job-texts.js";
import { tableParts } from "../src/resources/queries.js";

const jobCount = 3000;

let store: MemoryStore;
let queue: JobQueue;
/** Numbers of jobs read from the store, and of listings. */
let read: number;
let listed: number;

beforeEach(async () => {
  store = new MemoryDatabase(systemClock).connect();
  const { read: readJobs, list } = store;
  store.read = (ids) => {
    read += ids.length;
    return readJobs.call(store, ids);
  };
  store.list = (selection) => {
    listed++;
    return list.call(store, selection);
  };
  queue = await Queue.open({
    store,
    locks: createLockManager(),
    clock: systemClock,
    random: systemRandom,
  });
  await queue.submitMany(Array.from({ length: jobCount }, () => [{ OP_ID: "OP_TEST_DUMMY" }]));
  for (let id = 1; id <= 1500; id++) void queue.cancel(id as JobId);
  await queue.change({ runningMax: 0 });
  read = 0;
  listed = 0;
});

afterEach(() => queue.stop());

const textOf = (parts: readonly Uint8Array[]) => JSON.parse(Buffer.concat(parts).toString());

test("the list of ids reads no job, however many there are", async () => {
  const ids = textOf(await new JobTexts(queue).ids());
  expect(ids).toHaveLength(jobCount);
  expect(ids[2999]).toEqual({ id: 3000, uri: "/2/jobs/3000" });
  expect([read, listed]).toEqual([0, 0]);
});

test("a list whose reading failed is read again for the next request", async () => {
  const texts = new JobTexts(queue);
  const { read: readJobs } = store;
  store.read = async () => {
    throw new Error("the store is away");
  };
  await expect(texts.list()).rejects.toThrow("the store is away");
  store.read = readJobs;
  expect(textOf(await texts.list())).toHaveLength(jobCount);
});

test("ids of a block without new jobs are not rendered again", async () => {
  const texts = new JobTexts(queue);
  const before = await texts.ids();
  await queue.submit([{ OP_ID: "OP_TEST_DUMMY" }]);
  await queue.archive(7 as JobId);
  const after = await texts.ids();
  expect(textOf(after).map(({ id }: { id: number }) => id)).toEqual(
    Array.from({ length: jobCount + 1 }, (_, at) => at + 1).filter((id) => id !== 7),
  );
  const made = after.filter((part) => part.length > 10 && !before.includes(part));
  expect(made).toHaveLength(2);
});

test("the bulk list reads each job that has ended once, then only blocks in which a job has changed", async () => {
  const texts = new JobTexts(queue);
  const all = textOf(await texts.list());
  expect(all.map(({ id, status }: { id: number; status: string }) => [id, status])).toEqual(
    Array.from({ length: jobCount }, (_, at) => [at + 1, at < 1500 ? "canceled" : "queued"]),
  );
  read = 0;
  expect(textOf(await texts.list())).toEqual(all);
  expect(read).toBe(0);
  await queue.cancel(2999 as JobId);
  const again = textOf(await texts.list());
  expect(again[2998].status).toBe("canceled");
  // Jobs of one block of 512, at most.
  expect(read).toBeLessThanOrEqual(512);
  expect(read).toBeGreaterThan(0);
  expect(listed).toBe(0);
});

test("clients that ask for the bulk list at the same time wait for the same text", async () => {
  const texts = new JobTexts(queue);
  await Promise.all([texts.list(), texts.list(), texts.list()]);
  expect(read).toBe(jobCount);
});

test("other work runs during a query of all jobs", async () => {
  const turns = await turnsIn(async () => {
    expect(await queue.query([], ["id", "status"])).toHaveLength(jobCount);
  });
  expect(turns).toBeGreaterThanOrEqual(Math.floor(jobCount / 256));
});

/** Number of turns that other work had during `work`. */
async function turnsIn(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isOver = true;
  return turns;
}

test("a large table is rendered in parts, with other work in between", async () => {
  const field = (name: string) => ({ name, title: name, kind: "other" as const, doc: name });
  const data = Array.from({ length: 5000 }, (_, id) => [
    [0, id] as const,
    [0, [`it's "${id}"`]] as const,
  ]);
  const fields = [field("id"), field("summary")];
  let parts: readonly Uint8Array[] = [];
  const turns = await turnsIn(async () => {
    parts = await tableParts({ fields, data });
  });
  expect(turns).toBeGreaterThanOrEqual(4);
  expect(Buffer.concat(parts).toString()).toBe(`${JSON.stringify({ fields, data })}\n`);
  const none = await tableParts({ fields: [], data: [] });
  expect(Buffer.concat(none).toString()).toBe('{"fields":[],"data":[]}\n');
});

test("the rows of all jobs come in parts of 256", async () => {
  const sizes: number[] = [];
  for await (const rows of queue.rows([], ["id"])) sizes.push(rows.length);
  expect(sizes.reduce((sum, size) => sum + size)).toBe(jobCount);
  expect(Math.max(...sizes)).toBe(256);
});
