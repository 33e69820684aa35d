import type { Executor } from "@ganeti-ts/job-queue";
import { createLockManager } from "@ganeti-ts/locking";
import type { JobId } from "@ganeti-ts/protocol";
import { openPostgresStore } from "@ganeti-ts/store/postgres";
import { type Server, startPostgres, wherePostgresIsInstalled } from "@ganeti-ts/testkit/postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually, Hands, obedient, op, openQueue } from "./conformance/world.js";

wherePostgresIsInstalled(describe, "the former claims of jobs in a step", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  /** A queue on a schema of its own, and a connection that changes jobs without a step, as only an error could. */
  async function opened(schema: string, executor: Executor = obedient) {
    const { connection } = server;
    const database = new pg.Client({ ...connection, options: `-c search_path=${schema}` });
    await database.connect();
    const store = await openPostgresStore({ connection, schema });
    const locks = createLockManager({ store: store.locks });
    const queue = await openQueue({ store, locks, kill: () => store.leave() }, { executor });
    const holders = async () =>
      (await database.query("SELECT claimed_by FROM job ORDER BY id")).rows.map((row) =>
        row.claimed_by === null ? null : Number(row.claimed_by),
      );
    const close = async () => {
      await queue.stop();
      await database.end();
    };
    return { database, queue, holders, close };
  }

  test("a job that another worker holds is not claimed, whatever the worker believes", async () => {
    const { database, queue, holders, close } = await opened("taken");
    await queue.change({ runningMax: 0 });
    await queue.submitMany([[op("A")], [op("B")]]);
    await database.query(
      "UPDATE job SET claimed_by = 77, fence = 1, status = 'running' WHERE id = 1",
    );
    await expect(queue.change({ runningMax: 5 })).rejects.toThrow("jobs of 2");
    expect(await holders()).toEqual([77, null]);
    // It then reads all jobs, and goes on with those that are really there to be claimed.
    await queue.change({ runningMax: 5 });
    await queue.wait(2 as JobId);
    expect(await holders()).toEqual([77, null]);
    await close();
  });

  test("a job that has been taken away is not ended by its former worker", async () => {
    const hands = new Hands();
    const { database, queue, holders, close } = await opened("lost", hands);
    await queue.submit([op("A")]);
    await eventually(() => hands.begun.length === 1);
    await database.query("UPDATE job SET claimed_by = 77");
    await hands.end(1, 0, "done");
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await holders()).toEqual([77]);
    expect((await database.query("SELECT ended FROM job")).rows).toEqual([{ ended: null }]);
    await close();
  });
});
