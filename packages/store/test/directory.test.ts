import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLockManager } from "@ganeti-ts/locking";
import { exportDirectory, importDirectory } from "@ganeti-ts/store";
import { openSqliteStore } from "@ganeti-ts/store/sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { comesTo, field, jobId, obedient, openQueue } from "./conformance/world.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "queue-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const opcode = (status: string, more = "") =>
  `{"input": {"OP_ID": "OP_TEST", "reason": [["a", "b", 1700000000000000001]]}, "status": "${status}",
    "result": null${more}}`;
const times = '"received_timestamp": [1700000000, 1], "start_timestamp": null';

/** A queue as Ganeti leaves it: one job done, one queued, one under way, one archived, one broken. */
function ganetiQueue(): string {
  const queue = join(folder, "queue");
  mkdirSync(join(queue, "archive", "1"), { recursive: true });
  const files: Record<string, string> = {
    version: "1\n",
    serial: "10040\n",
    "job-10030": `{"id": 10030, ${times}, "end_timestamp": [1700000003, 5], "livelock": "x", "process_id": 12,
      "ops": [${opcode("success", ', "priority": -10, "log": [[1, [1700000001, 7], "message", "hi"]]')}]}`,
    "job-10031": `{"id": 10031, ${times}, "end_timestamp": null, "ops": [${opcode("queued")}]}`,
    "job-10032": `{"id": 10032, ${times}, "end_timestamp": null, "livelock": "y",
      "ops": [${opcode("success")}, ${opcode("running")}]}`,
    "job-10033": '{"id": 10033, "ops": []}',
    "job-10034": '{"id": 10035, "ops": [',
    "archive/1/job-10001": `{"id": 10001, ${times}, "end_timestamp": [1700000003, 5], "ops": [${opcode("error")}]}`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(queue, name), text);
  return queue;
}

test("a queue of Ganeti is taken over: ids, results, logs; what was under way has died", async () => {
  const path = join(folder, "queue.db");
  const first = openSqliteStore(path);
  const imported = await importDirectory(ganetiQueue(), first);
  expect(imported).toMatchObject({ jobCount: 3, archivedCount: 1 });
  expect(imported.faults.map((fault) => fault.split(":")[0])).toEqual(["job-10033", "job-10034"]);
  await expect(importDirectory(join(folder, "queue"), first)).rejects.toThrow("has jobs already");
  await first.close();

  const worker = { store: openSqliteStore(path), locks: createLockManager(), kill: async () => {} };
  const queue = await openQueue(worker, { executor: obedient });
  await comesTo(queue, 10031, "success");
  await comesTo(queue, 10032, "error");
  expect(await field(queue, 10032, "opstatus")).toEqual(["success", "error"]);
  expect(await field(queue, 10030, "oplog")).toEqual([[[1, [1700000001, 7], "message", "hi"]]]);
  expect(await field(queue, 10001, "archived")).toBe(true);
  expect(await queue.submit([{ OP_ID: "OP_TEST" }])).toBe(10041);
  await queue.stop();
});

test("what is written reads back the same, and is refused where a queue is already", async () => {
  const store = openSqliteStore(join(folder, "a.db"));
  await importDirectory(ganetiQueue(), store);
  const copy = join(folder, "copy");
  await exportDirectory(store, copy);
  const read = (name: string) => readFileSync(join(copy, name), "utf8");
  expect([read("version"), read("serial")]).toEqual(["1\n", "10040\n"]);
  expect(read("archive/1/job-10001")).toContain('["a","b",1700000000000000001]');
  const again = openSqliteStore(join(folder, "b.db"));
  expect(await importDirectory(copy, again)).toEqual({ jobCount: 3, archivedCount: 1, faults: [] });
  const ids = [10001, 10030, 10031, 10032].map(jobId);
  const jobs = async (from: typeof store) => (await from.read(ids)).map(({ job }) => job);
  expect(await jobs(again)).toEqual(await jobs(store));
  await expect(exportDirectory(store, copy)).rejects.toThrow("holds a queue already");
  await store.close();
  await again.close();
});

test("another format version is refused", async () => {
  const queue = ganetiQueue();
  writeFileSync(join(queue, "version"), "2\n");
  const store = openSqliteStore(join(folder, "a.db"));
  await expect(importDirectory(queue, store)).rejects.toThrow(
    "Found job queue version 2, expected 1",
  );
  await store.close();
});
