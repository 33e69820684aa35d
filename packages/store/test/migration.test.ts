import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLockManager } from "@ganeti-ts/locking";
import type { JobId } from "@ganeti-ts/protocol";
import { openPostgresStore } from "@ganeti-ts/store/postgres";
import {
  openSqliteConfigStore,
  openSqliteNodeStates,
  openSqliteStore,
} from "@ganeti-ts/store/sqlite";
import { startPostgres, wherePostgresIsInstalled } from "@ganeti-ts/testkit/postgres";
import Database from "libsql";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { comesTo, field, obedient, op, openQueue, type Worker } from "./conformance/world.js";

const many = Array.from({ length: 20 }, (_, at) => op(`O${at}`, { result: at }));

/** Leaves one job of many opcodes in the queue. */
async function leaveJob(worker: Worker): Promise<void> {
  const queue = await openQueue(worker);
  await queue.submit(many);
  await queue.stop();
}

/** Runs the job that was left. */
async function runJob(worker: Worker): Promise<void> {
  const queue = await openQueue(worker, { executor: obedient });
  await comesTo(queue, 1, "success");
  expect(await field(queue, 1, "opresult")).toEqual(many.map(({ result }) => result));
  expect((await worker.store.read([1 as JobId]))[0]?.status).toBe("success");
  await queue.stop();
}

test("a SQLite file of version 1 is brought to this version, and its jobs go on", async () => {
  const folder = mkdtempSync(join(tmpdir(), "queue-"));
  const path = join(folder, "queue.db");
  const connect = (): Worker => {
    const store = openSqliteStore(path);
    return { store, locks: createLockManager(), kill: () => store.close(true) };
  };
  await leaveJob(connect());
  const database = new Database(path);
  database.exec("DROP TABLE job_patch");
  database.exec("ALTER TABLE queue DROP COLUMN last_gone");
  database.pragma("user_version = 1");
  database.close();
  await runJob(connect());
  rmSync(folder, { recursive: true });
});

test("jobs of every status that a killed queue of version 1 has left are all there, and go on", async () => {
  const folder = mkdtempSync(join(tmpdir(), "queue-"));
  const path = join(folder, "queue.db");
  const database = new Database(path);
  database.exec(readFileSync(new URL("recorded/queue-of-version-1.sql", import.meta.url), "utf8"));
  database.close();
  const store = openSqliteStore(path);
  const worker: Worker = { store, locks: createLockManager(), kill: () => store.close(true) };
  const queue = await openQueue(worker, { executor: { run: async () => "done again" } });
  await comesTo(queue, 10, "success");
  await comesTo(queue, 7, "success");
  const rows = await queue.query([], ["id", "status", "priority", "archived"], { archived: true });
  const dead = "detected death of job";
  expect(rows).toEqual([
    [1, "success", 0, false],
    [2, "error", 0, false],
    [3, "error", 0, false],
    [4, "canceled", 0, false],
    [5, "error", 0, false],
    [6, "queued", -10, false],
    [7, "success", 0, false],
    [8, "canceled", 0, false],
    [9, "success", 0, true],
    [10, "success", 0, false],
  ]);
  const done = (name: string) => ({ done: name, big: 12345678901234567890n });
  const ended = [1, 3, 5, 7, 10] as JobId[];
  expect(await queue.query(ended, ["opresult"])).toEqual([
    [[done("OP_T1"), done("OP_T2")]],
    [[done("OP_T1"), `${dead} 3`, `${dead} 3`]],
    [[`${dead} 5`]],
    [["done again"]],
    [[done("OP_T1"), "done again"]],
  ]);
  const logs = await queue.query([1, 2, 3] as JobId[], ["oplog"]);
  expect(logs.map((row) => row?.[0].map((entries) => entries.length))).toEqual([
    [1, 1],
    [1, 1, 0],
    [1, 1, 0],
  ]);
  expect(queue.rules.map(({ action }) => action)).toEqual(["PAUSE"]);
  await queue.stop();
  rmSync(folder, { recursive: true });
});

test.each([
  { content: "job queue", change: "PRAGMA user_version = 99", open: openSqliteStore },
  {
    content: "configuration",
    change: "UPDATE config_version SET version = 99",
    open: openSqliteConfigStore,
  },
  { content: "node state", change: "PRAGMA user_version = 99", open: openSqliteNodeStates },
])(
  "a file with a newer version of the $content is refused, and can be opened again",
  async ({ content, change, open }) => {
    const folder = mkdtempSync(join(tmpdir(), "queue-"));
    const path = join(folder, "queue.db");
    await open(path).close();
    const database = new Database(path);
    database.exec(change);
    for (let time = 0; time < 2; time++) {
      expect(() => open(path)).toThrow(
        new RegExp(
          `^${content} version 99 is from a newer version of ganeti-ts; this one knows version \\d$`,
        ),
      );
    }
    database.close();
    rmSync(folder, { recursive: true });
  },
);

wherePostgresIsInstalled(describe, "PostgreSQL", () => {
  const claims =
    "DROP FUNCTION keep_step; ALTER TABLE job DROP taken, DROP process_id; ALTER TABLE news DROP mark";
  const columns = "bigint[], text[], integer[], bigint[], bigint[], bigint[], boolean[]";
  test.each([
    {
      version: 3,
      undo: `${claims}; DROP TABLE job_patch`,
      parameters: "json, json, json, json, json",
    },
    { version: 6, undo: claims, parameters: `json, integer, ${columns}, json, json, json, json` },
    {
      version: 7,
      undo: claims,
      parameters: `json, integer, ${columns}, bigint[], json, json, json, json`,
    },
  ])(
    "a schema of version $version is brought to this version, and its jobs go on; older servers write nothing",
    async ({ version, undo, parameters }) => {
      const server = await startPostgres();
      const { connection } = server;
      const connect = async (): Promise<Worker> => {
        const store = await openPostgresStore({ connection });
        const locks = createLockManager({ store: store.locks });
        return { store, locks, kill: () => store.leave() };
      };
      await leaveJob(await connect());
      const client = new pg.Client({ ...connection, options: "-c search_path=ganeti_ts" });
      await client.connect();
      await client.query(`${undo};
        CREATE FUNCTION keep_step(${parameters}) RETURNS void LANGUAGE sql AS '';
        UPDATE version SET version = ${version}`);
      await runJob(await connect());
      const { rows } = await client.query(
        "SELECT pronargs FROM pg_proc WHERE proname = 'keep_step'",
      );
      expect(rows).toEqual([{ pronargs: 16 }]);
      await client.end();
      await server.stop();
    },
  );

  describe("a server that runs while a newer version upgrades the tables", () => {
    /** A server of this version, and a connection that upgrades its tables as a newer one would. */
    async function upgradable() {
      const server = await startPostgres();
      const { connection } = server;
      const store = await openPostgresStore({ connection });
      const lost: Error[] = [];
      const queue = await openQueue(
        { store, locks: createLockManager({ store: store.locks }), kill: () => store.leave() },
        { executor: obedient, onLost: (error) => void lost.push(error) },
      );
      const newer = new pg.Client({ ...connection, options: "-c search_path=ganeti_ts" });
      await newer.connect();
      const { rows } = await newer.query<{ version: number }>("SELECT version FROM version");
      const newest = rows[0]?.version ?? 0;
      await queue.submit([op("A")]);
      await queue.wait(1 as JobId);
      // A transaction that began before the tables change would still be carried out.
      await queue.idle();
      const close = async () => {
        await queue.stop();
        await newer.end();
        await server.stop();
      };
      return { connection, store, queue, lost, newer, newest, close };
    }

    test("goes on if its functions are still there; others of its version are refused", async () => {
      const { connection, queue, newer, newest, close } = await upgradable();
      await newer.query(`UPDATE version SET version = ${newest + 1}`);
      await queue.submit([op("B")]);
      expect((await queue.wait(2 as JobId)).opcodes[0]?.status).toBe("success");
      await expect(openPostgresStore({ connection })).rejects.toThrow(
        `job queue version ${newest + 1} is from a newer version of ganeti-ts; this one knows version ${newest}`,
      );
      await close();
    });

    test("ends with the reason if they are gone, and writes nothing more", async () => {
      const { store, queue, lost, newer, newest, close } = await upgradable();
      await newer.query(
        `BEGIN; DROP FUNCTION keep_step;
         CREATE FUNCTION keep_step(json) RETURNS void LANGUAGE sql AS '';
         UPDATE version SET version = ${newest + 1}; COMMIT`,
      );
      const reason =
        `job queue version ${newest + 1} is from a newer version of ganeti-ts; ` +
        `this one knows version ${newest}`;
      await expect(queue.submit([op("B")])).rejects.toThrow(reason);
      expect(lost.map(({ message }) => message)).toEqual([reason]);
      expect(store.leaseLeftMs()).toBe(0);
      expect((await newer.query("SELECT id FROM job")).rows).toEqual([{ id: "1" }]);
      await close();
    });

    test("reports a function that is missing without an upgrade as it is", async () => {
      const { queue, lost, newer, close } = await upgradable();
      await newer.query("DROP FUNCTION keep_step");
      await expect(queue.submit([op("B")])).rejects.toThrow(/function keep_step.* does not exist/);
      expect(lost).toEqual([]);
      await close();
    });
  });
});
