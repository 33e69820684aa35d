// Syncs that transactions of SQLite files share. Seen to fail with a sync for each transaction, with answers before the
// sync, with an unsynced file that waits for another's disk, with a log that is closed before its last sync, and with a
// second file that goes on after a failed sync.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Order } from "../src/sqlite/writer.js";
import { Writing } from "../src/sqlite/writing.js";

let folder = "";
let path = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "writing-"));
  path = join(folder, "file.db");
  for (const one of [path, `${path}2`]) {
    const database = new Database(one);
    database.pragma("journal_mode = WAL");
    database.exec("CREATE TABLE word (word TEXT PRIMARY KEY)");
    database.close();
  }
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Syncs of logs and answers, in the order in which they happen. */
function observed() {
  const events: string[] = [];
  const state = { isBroken: false };
  const paths: string[] = [];
  const note = (what: string, file: number) => void events.push(`${what} ${paths[file]}`);
  const disk = {
    openSync: (opened: string) => paths.push(opened.slice(folder.length + 1)) - 1,
    fdatasyncSync: (file: number) => {
      note("sync", file);
      if (state.isBroken) throw new Error("EIO");
    },
    closeSync: (file: number) => note("close", file),
  };
  const writing = new Writing((replies) => {
    for (const reply of replies) {
      const { id } = reply;
      if ("changed" in reply) events.push(`${id} done`);
      else events.push(`${id} ${reply.isLost === true ? "lost" : "refused"}: ${reply.message}`);
    }
  }, disk as never);
  let last = 0;
  const order = (request: object) => ({ ...request, id: ++last }) as Order;
  return {
    ...{ events, state },
    open: (file: number, isSynced: boolean, of = path) =>
      order({
        ...{ kind: "open", file, path: of, pragmas: [], isSynced },
        statements: { add: "INSERT INTO word VALUES (?)" },
      }),
    add: (file: number, word: string) => order({ kind: "write", file, writes: [["add", [word]]] }),
    close: (file: number) => order({ kind: "close", file }),
    /** Carries out these orders as one group, and returns the events. */
    eventsOf(...orders: Order[]) {
      writing.carryOut(orders);
      return events.splice(0);
    },
  };
}

test("transactions that come together share a sync of their log, also of two connections", () => {
  const { open, add, close, eventsOf } = observed();
  expect(eventsOf(open(1, true), open(2, true))).toEqual(["1 done", "2 done"]);
  expect(eventsOf(add(1, "a"), add(2, "b"), add(1, "c"))).toEqual([
    ...["sync file.db-wal", "3 done", "4 done", "5 done"],
  ]);
  expect(eventsOf(add(2, "d"))).toEqual(["sync file.db-wal", "6 done"]);
  expect(eventsOf(close(1))).toEqual(["7 done"]);
  expect(eventsOf(close(2))).toEqual(["close file.db-wal", "8 done"]);
});

test("transactions without a sync, and refused ones, do not wait for the disk", () => {
  const { open, add, close, eventsOf } = observed();
  eventsOf(open(1, true), open(2, false, `${path}2`));
  expect(eventsOf(add(1, "a"), add(1, "a"), add(2, "a"))).toEqual([
    expect.stringMatching(/^4 refused: .*UNIQUE/),
    ...["5 done", "sync file.db-wal", "3 done"],
  ]);
  expect(eventsOf(add(2, "b"), add(1, "a"))).toEqual([
    "6 done",
    expect.stringMatching(/^7 refused/),
  ]);
  eventsOf(close(1), close(2));
});

test("a log is synced before it is closed", () => {
  const { open, add, close, eventsOf } = observed();
  eventsOf(open(1, true));
  expect(eventsOf(add(1, "a"), close(1))).toEqual([
    ...["sync file.db-wal", "2 done", "close file.db-wal", "3 done"],
  ]);
});

test("after a failed sync every transaction of the log is lost, until the file is opened again", () => {
  const { open, add, close, eventsOf, state } = observed();
  eventsOf(open(1, true), open(2, true), open(3, true, `${path}2`));
  state.isBroken = true;
  expect(eventsOf(add(1, "a"), add(2, "b"))).toEqual([
    ...["sync file.db-wal", "4 lost: EIO", "5 lost: EIO"].map((event) =>
      event.replace("EIO", `${path}-wal: EIO`),
    ),
  ]);
  state.isBroken = false;
  expect(eventsOf(add(2, "c"))).toEqual([`6 lost: ${path}-wal: EIO`]);
  expect(eventsOf(add(3, "c"))).toEqual(["sync file.db2-wal", "7 done"]);
  eventsOf(close(1), close(2));
  expect(eventsOf(open(4, true), add(4, "d"))).toEqual(["10 done", "sync file.db-wal", "11 done"]);
  eventsOf(close(3), close(4));
});
