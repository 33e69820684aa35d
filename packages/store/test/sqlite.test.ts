import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLockManager } from "@ganeti-ts/locking";
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
        return { store, locks: createLockManager(), kill: () => store.close() };
      },
      close: async () => rmSync(folder, { recursive: true }),
    };
  },
});

test("one process has the file, and a second is told", async () => {
  const folder = mkdtempSync(join(tmpdir(), "queue-"));
  const path = join(folder, "queue.db");
  const store = openSqliteStore(path);
  expect(() => openSqliteStore(path)).toThrow(`${path} is in use by another process`);
  await store.close();
  await openSqliteStore(path).close();
  rmSync(folder, { recursive: true });
});
