import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JobQueue } from "@ganeti-ts/job-queue";
import { createLockManager } from "@ganeti-ts/locking";
import { systemClock, systemRandom } from "@ganeti-ts/protocol";
import { openSqliteStore } from "@ganeti-ts/store/sqlite";
import { expect, test } from "vitest";
import { describeJobStore } from "./conformance/job-store.js";

describeJobStore("jobs in SQLite", {
  shared: false,
  makeWorld: async () => {
    const folder = mkdtempSync(join(tmpdir(), "queue-"));
    return {
      connect: async () => {
        const store = openSqliteStore(join(folder, "queue.db"));
        return { store, locks: createLockManager(), kill: () => store.close(true) };
      },
      close: async () => rmSync(folder, { recursive: true }),
    };
  },
});

test("a second process that opens the queue file is refused", async () => {
  const folder = mkdtempSync(join(tmpdir(), "queue-"));
  const path = join(folder, "queue.db");
  const store = openSqliteStore(path);
  expect(() => openSqliteStore(path)).toThrow(`${path} is in use by another process`);
  await store.close();
  await openSqliteStore(path).close();
  rmSync(folder, { recursive: true });
});

test("the bytes of the files forget the secrets of a job while the queue goes on", async () => {
  const folder = mkdtempSync(join(tmpdir(), "queue-"));
  const path = join(folder, "queue.db");
  const store = openSqliteStore(path, { truncateMs: 10 });
  const queue = await JobQueue.open({
    store,
    locks: createLockManager(),
    clock: systemClock,
    random: systemRandom,
    executor: { run: async () => null },
  });
  const bytes = () =>
    [path, `${path}-wal`].map((file) => readFileSync(file).toString("latin1")).join("");
  const secret = "planted".repeat(2000);
  const osparams_secret = { root_password: secret };
  await queue.submit([{ OP_ID: "OP_TEST_OS_PARAMS", osparams_secret }]);
  expect(bytes()).toContain("plantedplanted");
  await expect.poll(() => bytes().includes("plantedplanted"), { timeout: 300_000 }).toBe(false);
  await queue.stop({ graceMs: 0 });
  rmSync(folder, { recursive: true });
});

test("a job that has just ended is shown as it is stored", async () => {
  const folder = mkdtempSync(join(tmpdir(), "queue-"));
  const store = openSqliteStore(join(folder, "queue.db"));
  const queue = await JobQueue.open({
    store,
    locks: createLockManager(),
    clock: systemClock,
    random: systemRandom,
    executor: {
      run: async (_opcode, { log }) => {
        await log("half of it");
        return { size: 10n ** 20n, part: 0.5, names: ["a", null] };
      },
    },
  });
  const id = await queue.submit([
    { OP_ID: "OP_A", osparams_secret: { password: "planted" } },
    { OP_ID: "OP_B" },
  ]);
  const shown = await queue.wait(id);
  const [row] = await store.read([id]);
  expect(shown).toStrictEqual(row?.job);
  await queue.stop({ graceMs: 0 });
  rmSync(folder, { recursive: true });
});
