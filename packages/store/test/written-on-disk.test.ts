// Steps and commits in SQLite files are acknowledged and shown only when they are on disk. The log is a queue of the
// operating system here: it is opened when the test does, and cannot be synced. Seen to fail without waiting in reads, in
// lists and in reads of news, with a store that goes on after a failed sync, and with one that takes the end of the
// thread for a failed step.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { defaultSettings, type JobStore, LeaseLostError } from "@ganeti-ts/job-queue";
import { openSqliteConfigStore, openSqliteStore } from "@ganeti-ts/store/sqlite";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

let folder = "";
let path = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "on-disk-"));
  path = join(folder, "queue.db");
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

/** Resolves to the opened store, when the thread has opened the file as well. */
async function opened<Store>(open: (path: string) => Store): Promise<Store> {
  const sent = vi.spyOn(Worker.prototype, "postMessage");
  const store = open(path);
  await once(sent.mock.contexts[0] as Worker, "message");
  sent.mockRestore();
  return store;
}

/** Puts a queue of the operating system in place of the log, which SQLite has open. */
function heldLog() {
  renameSync(`${path}-wal`, `${path}-real`);
  execFileSync("mkfifo", [`${path}-wal`]);
  return { fail: () => closeSync(openSync(`${path}-wal`, "w")) };
}

/** Whether a promise has settled after a while. */
async function hasSettled(promise: Promise<unknown>): Promise<boolean> {
  const settled = promise.then(
    () => true,
    () => true,
  );
  return Promise.race([settled, setTimeout(50, false)]);
}

const stepOf = (store: JobStore, runningMax: number) =>
  store.step(
    () => [],
    () => [{ kind: "settings", settings: { ...defaultSettings, runningMax } }],
  );

const failure = /queue\.db-wal: E/;

test("a step, and what is read after it, wait for the disk; if that fails, the worker ends", async () => {
  const store = await opened(openSqliteStore);
  const log = heldLog();
  const step = stepOf(store, 7);
  await setTimeout(50);
  const shown = [store.read([]), store.list({ archived: false })];
  for (const one of [step, ...shown]) expect(await hasSettled(one)).toBe(false);
  const ends = [step, ...shown].map((one) => expect(one).rejects.toThrow(LeaseLostError));
  log.fail();
  await Promise.all(ends);
  const decide = vi.fn(() => []);
  await expect(store.step(() => [], decide)).rejects.toThrow(failure);
  expect(decide).not.toHaveBeenCalled();
  await expect(store.read([])).rejects.toThrow(failure);
  await store.close();
});

test("a commit of the configuration, and news of it, wait for the disk; later ones are refused", async () => {
  const store = await opened(openSqliteConfigStore);
  const log = heldLog();
  const commit = store.commit({ expectedSerial: 0, serial: 1, rows: [] });
  const news = store.changesSince(0);
  for (const one of [commit, news]) expect(await hasSettled(one)).toBe(false);
  const ends = [commit, news].map((one) => expect(one).rejects.toThrow(failure));
  log.fail();
  await Promise.all(ends);
  await expect(store.commit({ expectedSerial: 1, serial: 2, rows: [] })).rejects.toThrow(failure);
  await store.close();
});

test("after a failed sync of the file's log, its other store refuses as well", async () => {
  const config = await opened(openSqliteConfigStore);
  const store = await opened(openSqliteStore);
  const log = heldLog();
  const step = expect(stepOf(store, 7)).rejects.toThrow(failure);
  await setTimeout(50);
  log.fail();
  await step;
  await expect(config.commit({ expectedSerial: 0, serial: 1, rows: [] })).rejects.toThrow(failure);
  await store.close();
  await config.close();
});

test("a worker whose writing thread has ended ends, and the next one writes again", async () => {
  const sent = vi.spyOn(Worker.prototype, "postMessage");
  const store = openSqliteStore(path);
  await stepOf(store, 7);
  await (sent.mock.contexts[0] as Worker).terminate();
  await expect(stepOf(store, 8)).rejects.toThrow(LeaseLostError);
  await expect(store.read([])).rejects.toThrow("the thread that writes SQLite files: it has ended");
  await store.close();
  const next = openSqliteStore(path);
  await stepOf(next, 9);
  await next.close();
});
