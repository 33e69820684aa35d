import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLockManager } from "@ganeti-ts/locking";
import type { JobId } from "@ganeti-ts/protocol";
import { openPostgresStore } from "@ganeti-ts/store/postgres";
import { openSqliteStore } from "@ganeti-ts/store/sqlite";
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
    return { store, locks: createLockManager(), kill: () => store.close() };
  };
  await leaveJob(connect());
  const database = new Database(path);
  database.exec("DROP TABLE job_patch");
  database.pragma("user_version = 1");
  database.close();
  await runJob(connect());
  rmSync(folder, { recursive: true });
});

wherePostgresIsInstalled(describe, "PostgreSQL", () => {
  test("a schema of version 3 is brought to this version, and its jobs go on; older servers write nothing", async () => {
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
    await client.query(`DROP TABLE job_patch; DROP FUNCTION keep_step(json, json, json, json, json, json);
      CREATE FUNCTION keep_step(json, json, json, json, json) RETURNS void LANGUAGE sql AS '';
      UPDATE version SET version = 3`);
    await runJob(await connect());
    const { rows } = await client.query("SELECT pronargs FROM pg_proc WHERE proname = 'keep_step'");
    expect(rows).toEqual([{ pronargs: 6 }]);
    await client.end();
    await server.stop();
  });
});
