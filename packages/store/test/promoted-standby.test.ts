// A primary dies, and its standby takes over without the last commits: servers with these in their memory stop, all others go on.

import type { ConfigStore } from "@ganeti-ts/config";
import { defaultSettings, HaltError, type JobStore, LeaseLostError } from "@ganeti-ts/job-queue";
import {
  openPostgresConfigStore,
  openPostgresStore,
  type PostgresConfigStore,
  type PostgresStore,
} from "@ganeti-ts/store/postgres";
import {
  type ReplicatedServer,
  startReplicatedPostgres,
  wherePostgresIsInstalled,
} from "@ganeti-ts/testkit/postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isConnectionError } from "../src/postgres/connection.js";

/** A step that writes something. */
const written = (store: JobStore) =>
  store.step(
    () => [],
    () => [{ kind: "settings", settings: defaultSettings }],
  );

/** The commit with this number, of a configuration that nothing else changes. */
const committed = (store: ConfigStore, serial: number, document: string) =>
  store.commit({
    expectedSerial: serial - 1,
    serial,
    rows: [{ type: "node", uuid: "a", serial, document }],
  });

const problemOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error) => error,
  );

wherePostgresIsInstalled(describe, "a promoted standby that lacks two steps and a commit", () => {
  let database: ReplicatedServer;
  let ahead: PostgresStore;
  let other: PostgresStore;
  let config: PostgresConfigStore;
  let isAheadHalted: Error | undefined;
  let refusal: unknown;
  let readOnly: unknown;

  beforeAll(async () => {
    database = await startReplicatedPostgres();
    const { connection } = database;
    ahead = await openPostgresStore({ connection });
    other = await openPostgresStore({ connection });
    config = await openPostgresConfigStore({
      connection,
      onLoss: (error) => {
        isAheadHalted = error;
      },
    });
    await committed(config, 1, '"kept"');
    await written(other);
    await written(ahead);
    await written(other);
    await database.cutStream();
    await written(ahead);
    await written(ahead);
    await committed(config, 2, '"lost"');
    refusal = await problemOf(openPostgresStore({ connection: database.standby }));
    const client = new pg.Client(database.standby);
    await client.connect();
    readOnly = await problemOf(client.query("CREATE TABLE one (two integer)"));
    await client.end();
    await database.failOver();
  });
  afterAll(async () => {
    for (const store of [ahead, other]) await store.leave();
    await config.close();
    await database.stop();
  });

  test("was refused as a database while it was a standby", () => {
    expect((refusal as Error).message).toBe("it is a standby, which accepts no changes");
    expect(readOnly).toMatchObject({ code: "25006" });
    for (const error of [refusal, readOnly]) expect(isConnectionError(error)).toBe(true);
  });

  test("serves a worker without them in its memory, and gets other steps in their place", async () => {
    const before = other.known?.number as number;
    for (let step = 0; step < 3; step++) await written(other);
    expect(other.known?.number).toBe(before + 3);
    expect(other.leaseLeftMs()).toBeGreaterThan(0);
  });

  test("ends a worker to which they were acknowledged, although there are as many steps again", async () => {
    const number = ahead.known?.number as number;
    const problem = await problemOf(written(ahead));
    expect(problem).toBeInstanceOf(HaltError);
    expect(problem).toMatchObject({
      reason: "history",
      message:
        `the database has gone back in time: revision ${number} of the job queue had been committed, ` +
        `but it is another one in the database, which is at revision ${number + 1}`,
    });
    expect(ahead.leaseLeftMs()).toBe(0);
    await expect(ahead.locks.change(() => undefined)).rejects.toThrow(LeaseLostError);
  });

  test("ends a process whose configuration has the commit", async () => {
    const problem = await problemOf(config.changesSince(2));
    expect(problem).toMatchObject({
      reason: "history",
      message:
        "the database has gone back in time: revision 2 of the configuration had been committed, " +
        "but it is at revision 1",
    });
    expect(isAheadHalted).toBe(problem);
  });

  test("refuses the next process with the memory of the former one", async () => {
    const { connection } = database;
    const gone =
      /^the database has gone back in time: revision \d+ of the (job queue|configuration) /;
    await expect(openPostgresStore({ connection, known: ahead.known })).rejects.toThrow(gone);
    await expect(openPostgresConfigStore({ connection, known: config.known })).rejects.toThrow(
      gone,
    );
    const again = await openPostgresConfigStore({ connection });
    expect(again.known).toBeUndefined();
    expect([...(await again.load()).rows]).toMatchObject([{ document: '"kept"' }]);
    expect(again.known?.number).toBe(1);
    await again.close();
  });

  test("ends a worker whose process has lost a commit of the configuration", async () => {
    const error = new HaltError("history", "the configuration has gone back");
    other.halt(error);
    await expect(written(other)).rejects.toBe(error);
  });
});
