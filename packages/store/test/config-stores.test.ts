import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ConfigRow,
  type ConfigStore,
  Configuration,
  createMemoryStore,
  createMemoryStores,
} from "@ganeti-ts/config";
import { systemClock as clock, secureRandom as random } from "@ganeti-ts/protocol";
import { openPostgresConfigStore, openPostgresStore } from "@ganeti-ts/store/postgres";
import { openSqliteConfigStore, openSqliteStore } from "@ganeti-ts/store/sqlite";
import { type Server, startPostgres, wherePostgresIsInstalled } from "@ganeti-ts/testkit/postgres";
import Database from "libsql";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeConfigStore } from "./conformance/config-store.js";

describeConfigStore("a configuration in memory", {
  shared: false,
  durable: false,
  makeWorld: async () => {
    const store = createMemoryStore();
    return { connect: async () => store, close: async () => {} };
  },
});

describeConfigStore("a configuration in memory, shared", {
  shared: true,
  durable: false,
  makeWorld: async () => {
    const stores = [...createMemoryStores(3)];
    return { connect: async () => stores.pop() ?? createMemoryStore(), close: async () => {} };
  },
});

describeConfigStore("a configuration in SQLite", {
  shared: false,
  durable: true,
  makeWorld: async () => {
    const folder = mkdtempSync(join(tmpdir(), "config-"));
    return {
      connect: async () => openSqliteConfigStore(join(folder, "ganeti.db")),
      close: async () => rmSync(folder, { recursive: true }),
    };
  },
});

test("one file holds jobs and configuration, for one process", async () => {
  const folder = mkdtempSync(join(tmpdir(), "config-"));
  const path = join(folder, "ganeti.db");
  const jobs = openSqliteStore(path);
  const store = openSqliteConfigStore(path);
  const rows = [{ type: "node", uuid: "a", serial: 1, document: "{}" } as const];
  expect(await store.commit({ expectedSerial: 0, serial: 1, rows })).toBe("done");
  expect(() => openSqliteConfigStore(path)).toThrow("is in use by another process");
  await store.close();
  await jobs.close();
  const again = openSqliteConfigStore(path);
  expect([...(await again.load()).rows]).toEqual(rows);
  await again.close();
  rmSync(folder, { recursive: true });
});

/** Stores a configuration as version 1 had it, with claims of each kind among instances. */
async function storeFormer(store: ConfigStore): Promise<void> {
  const file = new URL("../../config/test/fixtures/former-claims.json", import.meta.url);
  const former = JSON.parse(readFileSync(file, "utf8")) as readonly { readonly document: object }[];
  const rows = former.map((row) => {
    return { ...row, serial: 1, document: JSON.stringify(row.document) } as unknown as ConfigRow;
  });
  expect(await store.commit({ expectedSerial: 0, serial: 1, rows })).toBe("done");
  await store.close();
}

async function expectConverted(store: ConfigStore): Promise<void> {
  const { snapshot } = await Configuration.open(store, { clock, random });
  expect([snapshot.serial, snapshot.count("claim"), snapshot.instanceCount]).toEqual([2, 10, 3]);
  await store.close();
}

test("a SQLite configuration of version 1 is brought to this version with its claims", async () => {
  const folder = mkdtempSync(join(tmpdir(), "config-"));
  const path = join(folder, "ganeti.db");
  await storeFormer(openSqliteConfigStore(path));
  const database = new Database(path);
  database.exec("UPDATE config_version SET version = 1");
  database.close();
  await expectConverted(openSqliteConfigStore(path));
  const after = new Database(path);
  expect(after.prepare("SELECT version FROM config_version").get()).toMatchObject({ version: 2 });
  after.close();
  await expectConverted(openSqliteConfigStore(path));
  rmSync(folder, { recursive: true });
});

wherePostgresIsInstalled(describe, "PostgreSQL", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  const world = async (schema: string) => {
    const { connection } = server;
    const client = new pg.Client(connection);
    await client.connect();
    return {
      connect: () => openPostgresConfigStore({ connection, schema, pollMs: 60_000 }),
      client,
      close: async () => {
        await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
        await client.end();
      },
    };
  };

  describeConfigStore("a configuration in PostgreSQL", {
    shared: true,
    durable: true,
    makeWorld: () => world("conformance"),
  });

  test("a configuration of version 1 is brought to this version, and its table is gone for older servers", async () => {
    const { connect, client, close } = await world("former");
    await storeFormer(await connect());
    await client.query("ALTER TABLE former.config_entry RENAME TO config_object");
    await client.query("UPDATE former.config_version SET version = 1");
    await expectConverted(await connect());
    await expect(client.query("SELECT FROM former.config_object")).rejects.toThrow(
      'relation "former.config_object" does not exist',
    );
    await close();
  });

  test("a process that has lost its lease cannot commit to the configuration", async () => {
    const { connect, client, close } = await world("leases");
    const jobs = await openPostgresStore({ connection: server.connection, schema: "leases" });
    const store = await connect();
    const lease = `${jobs.claim.worker}:${jobs.claim.fence}`;
    const rows = [{ type: "node", uuid: "a", serial: 1, document: "{}" } as const];
    expect(await store.commit({ expectedSerial: 0, serial: 1, rows, lease })).toBe("done");
    await client.query("UPDATE leases.worker SET fenced = 1");
    expect(await store.commit({ expectedSerial: 1, serial: 2, rows, lease })).toBe("lease lost");
    expect((await store.load()).serial).toBe(1);
    await store.close();
    await jobs.leave();
    await close();
  });

  test("a lost connection is made again, also in the middle of commits", async () => {
    const { connect, client, close } = await world("breaks");
    const store = await connect();
    let serial = 0;
    for (let round = 0; round < 20; round++) {
      const rows = [
        { type: "node", uuid: `n${round}`, serial: serial + 1, document: "{}" } as const,
      ];
      const cut = client.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = 'postgres' AND query LIKE '%config%'",
      );
      expect(await store.commit({ expectedSerial: serial, serial: serial + 1, rows })).toBe("done");
      await cut;
      serial++;
    }
    expect([...(await store.load()).rows]).toHaveLength(20);
    await store.close();
    await close();
  });

  test("old removals are deleted, and a process that missed them reads the whole configuration", async () => {
    const { connect, client, close } = await world("old");
    const store = await connect();
    const rows = (serial: number, document: string | null) => [
      { type: "node", uuid: "a", serial, document } as const,
    ];
    await store.commit({ expectedSerial: 0, serial: 1, rows: rows(1, "{}") });
    await store.commit({ expectedSerial: 1, serial: 2, rows: rows(2, null) });
    await store.commit({ expectedSerial: 2, serial: 20_000, rows: [] });
    await store.close();
    const later = await connect();
    expect(await later.changesSince(1)).toBe("too old");
    expect(await later.changesSince(19_999)).toEqual({ serial: 20_000, rows: [] });
    const { rowCount } = await client.query("SELECT FROM old.config_entry");
    expect(rowCount).toBe(0);
    await later.close();
    await close();
  });
});
