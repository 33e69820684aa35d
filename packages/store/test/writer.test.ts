// Transactions of SQLite files in a thread. Seen to fail with a rollback left out, with a refusal that is not looked at, with
// a checkpoint that does not report a reader, with a store that does not repeat it, and with an answer
// awaited for an order that was not sent.
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JobQueue } from "@ganeti-ts/job-queue";
import { createLockManager } from "@ganeti-ts/locking";
import { systemClock, systemRandom } from "@ganeti-ts/protocol";
import { openSqliteStore } from "@ganeti-ts/store/sqlite";
import Database from "libsql";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Writer } from "../src/sqlite/writer.js";

let folder = "";
let path = "";
let database: Database.Database;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "writer-"));
  path = join(folder, "file.db");
  database = new Database(path);
  database.pragma("journal_mode = WAL");
  database.exec("CREATE TABLE word (word TEXT PRIMARY KEY)");
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

const statements = {
  add: "INSERT INTO word VALUES (?)",
  rename: "UPDATE word SET word = ? WHERE word = ?",
};
const opened = () => new Writer({ path, pragmas: [], statements, isSynced: true });
const words = () =>
  (database.prepare("SELECT word FROM word ORDER BY word").all() as { word: string }[]).map(
    ({ word }) => word,
  );

test("transactions are carried out in their order, and each is read when it has resolved", async () => {
  const writer = opened();
  const first = writer.write([["add", ["a"]]]);
  const second = writer.write([["rename", ["b", "a"]]]);
  const third = writer.write([["rename", ["c", "b"]]]);
  expect(await Promise.all([first, second, third])).toEqual([[1], [1], [1]]);
  expect(words()).toEqual(["c"]);
  await writer.close();
});

test("a transaction that fails writes nothing, and the next one is carried out", async () => {
  const writer = opened();
  await writer.write([["add", ["a"]]]);
  const twice = writer.write([
    ["add", ["b"]],
    ["add", ["a"]],
  ]);
  await expect(twice).rejects.toMatchObject({ code: expect.stringMatching(/^SQLITE_CONSTRAINT/) });
  const missing = writer.write([
    ["add", ["c"]],
    ["rename", ["d", "none"], "there is no such word"],
  ]);
  await expect(missing).rejects.toThrow("there is no such word");
  await writer.write([["add", ["e"]]]);
  expect(words()).toEqual(["a", "e"]);
  await writer.close();
});

test("a transaction that cannot be sent is refused, and the answers of others stay theirs", async () => {
  const writer = opened();
  const unsendable = writer.write([["add", [() => {}]]]);
  const sent = writer.write([["add", ["a"]]]);
  await expect(unsendable).rejects.toThrow("could not be cloned");
  expect(await sent).toEqual([1]);
  await writer.close();
});

test("a file that cannot be opened is reported by each write", async () => {
  const none = join(folder, "none", "file.db");
  const writer = new Writer({ path: none, pragmas: [], statements, isSynced: true });
  for (let at = 0; at < 2; at++) {
    await expect(writer.write([["add", ["a"]]])).rejects.toThrow(/unable to open/i);
  }
});

test("a log of changes that a reader needs is emptied when the reader has ended", async () => {
  const queuePath = join(folder, "queue.db");
  const store = openSqliteStore(queuePath, { truncateMs: 1 });
  const ends = { clock: systemClock, random: systemRandom, executor: { run: async () => null } };
  const queue = await JobQueue.open({ store, locks: createLockManager(), ...ends });
  const reader = new Database(queuePath);
  reader.exec("BEGIN");
  reader.prepare("SELECT * FROM queue").get();
  await queue.wait(await queue.submit([{ OP_ID: "OP_TEST" }]));
  const logBytes = () => statSync(`${queuePath}-wal`).size;
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(logBytes()).toBeGreaterThan(0);
  reader.exec("COMMIT");
  reader.close();
  await expect.poll(logBytes).toBe(0);
  await queue.stop({ graceMs: 0 });
});
