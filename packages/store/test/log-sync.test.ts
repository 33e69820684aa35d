// Steps and commits in SQLite files are acknowledged and shown only when they are on disk. Seen to fail without waiting in
// steps, in reads, in lists, in commits and in reads of news; with one sync for commits that came after it began; and with
// a store that goes on after a failed sync.
import fs, { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { defaultSettings, type JobStore, LeaseLostError } from "@ganeti-ts/job-queue";
import { openSqliteConfigStore, openSqliteStore } from "@ganeti-ts/store/sqlite";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LogSync } from "../src/sqlite/log-sync.js";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "log-sync-"));
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

/** A disk whose syncs end only by calls of `end`. */
function heldDisk() {
  const waiting: ((error: NodeJS.ErrnoException | null) => void)[] = [];
  vi.spyOn(fs, "fdatasync").mockImplementation((_file, done) => void waiting.push(done));
  return {
    get waitingCount() {
      return waiting.length;
    },
    /** Ends the sync that began first, as soon as there is one. */
    end: async (error: Error | null = null) => {
      await expect.poll(() => waiting.length).toBeGreaterThan(0);
      waiting.shift()?.(error);
    },
    /** Resolves when so many syncs are waiting. */
    hasWaiting: (count: number) => expect.poll(() => waiting.length).toBe(count),
  };
}

const pause = () => setTimeout(20);

/** Whether a promise has settled after everything that is ready has run. */
async function hasSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const note = () => {
    settled = true;
  };
  promise.then(note, note);
  await pause();
  return settled;
}

const stepOf = (store: JobStore, runningMax: number) =>
  store.step(
    () => [],
    () => [{ kind: "settings", settings: { ...defaultSettings, runningMax } }],
  );

test("a step, and what is read after it, wait until it is on disk", async () => {
  const disk = heldDisk();
  const store = openSqliteStore(join(folder, "queue.db"));
  const step = stepOf(store, 7);
  await disk.hasWaiting(1);
  const shown = [store.read([]), store.list({ archived: false })];
  for (const one of [step, ...shown]) expect(await hasSettled(one)).toBe(false);
  expect(disk.waitingCount).toBe(1);
  await disk.end();
  await Promise.all([step, ...shown]);
  // Nothing is behind: no further sync.
  await store.read([]);
  await store.close();
});

test("a commit of the configuration, and news of it, wait until it is on disk", async () => {
  const disk = heldDisk();
  const store = openSqliteConfigStore(join(folder, "queue.db"));
  const commit = store.commit({ expectedSerial: 0, serial: 1, rows: [] });
  const news = store.changesSince(0);
  await disk.hasWaiting(1);
  expect(await hasSettled(commit)).toBe(false);
  expect(await hasSettled(news)).toBe(false);
  await disk.end();
  expect(await commit).toBe("done");
  expect(await news).toMatchObject({ serial: 1 });
  await store.close();
});

test("a commit during a sync waits for the next one", async () => {
  const disk = heldDisk();
  const log = new LogSync(join(folder, "queue.db"));
  fs.writeFileSync(join(folder, "queue.db-wal"), "");
  log.committed();
  const first = log.synced();
  log.committed();
  const [second, third] = [log.synced(), log.synced()];
  await disk.end();
  await first;
  expect(await hasSettled(second)).toBe(false);
  expect(disk.waitingCount).toBe(1);
  await disk.end();
  await Promise.all([second, third]);
  await log.close();
});

test("after a failed sync the stores refuse everything", async () => {
  const disk = heldDisk();
  const path = join(folder, "queue.db");
  const store = openSqliteStore(path);
  const step = stepOf(store, 7);
  await Promise.all([
    disk.end(new Error("EIO: i/o error")),
    expect(step).rejects.toThrow(`${path}-wal: EIO: i/o error`),
  ]);
  const decide = vi.fn(() => []);
  await expect(store.step(() => [], decide)).rejects.toThrow(LeaseLostError);
  expect(decide).not.toHaveBeenCalled();
  await expect(store.read([])).rejects.toThrow("EIO");
  const config = openSqliteConfigStore(path);
  const commit = (serial: number) =>
    config.commit({ expectedSerial: serial - 1, serial, rows: [] });
  const first = commit(1);
  await Promise.all([disk.end(new Error("EIO: i/o error")), expect(first).rejects.toThrow("EIO")]);
  await expect(commit(2)).rejects.toThrow("EIO");
  expect(disk.waitingCount).toBe(0);
  await store.close();
  await config.close();
});
