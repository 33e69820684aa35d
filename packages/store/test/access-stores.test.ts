import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryAccessStore } from "@ganeti-ts/job-queue";
import { openPostgresAccessStore } from "@ganeti-ts/store/postgres";
import { openSqliteAccessStore, openSqliteStore } from "@ganeti-ts/store/sqlite";
import { type Server, startPostgres, wherePostgresIsInstalled } from "@ganeti-ts/testkit/postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeAccessStore } from "./conformance/access-store.js";

describeAccessStore("access records in memory", async () => {
  let store: MemoryAccessStore | undefined;
  return {
    open: async (bounds) => {
      if (store === undefined || bounds !== undefined) store = new MemoryAccessStore(bounds);
      return store;
    },
    close: async () => {},
  };
});

describeAccessStore("access records in SQLite", async () => {
  const folder = mkdtempSync(join(tmpdir(), "access-"));
  return {
    open: async (bounds) => openSqliteAccessStore(join(folder, "ganeti.db"), bounds),
    close: async () => rmSync(folder, { recursive: true }),
  };
});

test("one file holds access records and the job queue", async () => {
  const folder = mkdtempSync(join(tmpdir(), "access-"));
  const path = join(folder, "ganeti.db");
  const jobs = openSqliteStore(path);
  const access = openSqliteAccessStore(path);
  await access.endSession("one", { now: 1, until: 2 });
  await jobs.close();
  expect(await access.isEnded("one")).toBe(true);
  await access.close();
  rmSync(folder, { recursive: true });
});

wherePostgresIsInstalled(describe, "PostgreSQL", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  describeAccessStore("access records in PostgreSQL", async () => {
    const { connection } = server;
    return {
      open: (bounds) => openPostgresAccessStore({ connection, ...bounds }),
      close: async () => {
        const client = new pg.Client(connection);
        await client.connect();
        await client.query("DROP SCHEMA ganeti_ts CASCADE");
        await client.end();
      },
    };
  });

  test("a session that one server has ended is ended for the others at once", async () => {
    const { connection } = server;
    const [one, other] = [
      await openPostgresAccessStore({ connection, schema: "two" }),
      await openPostgresAccessStore({ connection, schema: "two" }),
    ];
    expect(await other.isEnded("s")).toBe(false);
    await one.endSession("s", { now: 1, until: 2 });
    expect(await other.isEnded("s")).toBe(true);
    await Promise.all([one.close(), other.close()]);
  });
});
