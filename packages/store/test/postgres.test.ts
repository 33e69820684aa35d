import { createLockManager } from "@ganeti-ts/locking";
import { openPostgresStore, type PostgresStore } from "@ganeti-ts/store/postgres";
import { type Server, startPostgres, wherePostgresIsInstalled } from "@ganeti-ts/testkit/postgres";
import pg from "pg";
import { afterAll, beforeAll, describe } from "vitest";
import { describeJobStore } from "./conformance/job-store.js";

const tables = [
  ...["job_log", "job_patch", "job", "news", "filter_rule", "lock_hold", "lock_wait", "worker"],
  "queue",
];

wherePostgresIsInstalled(describe, "PostgreSQL", () => {
  let server: Server;
  // One for all worlds: a connection is a process.
  let client: pg.Client;
  beforeAll(async () => {
    server = await startPostgres();
    client = new pg.Client({ ...server.connection, options: "-c search_path=ganeti_ts" });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await server.stop();
  });

  describeJobStore("jobs in PostgreSQL", {
    shared: true,
    makeWorld: async () => {
      const { connection } = server;
      const stores = new Set<PostgresStore>();
      return {
        connect: async () => {
          const store = await openPostgresStore({ connection });
          stores.add(store);
          const kill = async () => {
            await store.leave();
            // As if a lease had gone by since.
            await client.query("UPDATE worker SET lease_until = now() WHERE id = $1", [
              store.claim.worker,
            ]);
          };
          return { store, locks: createLockManager({ store: store.locks }), kill };
        },
        close: async () => {
          await Promise.all([...stores].map((store) => store.leave()));
          // Not TRUNCATE, which makes a file for each table and index: 20 ms.
          const deletions = tables.map((table) => `DELETE FROM ${table};`).join(" ");
          await client.query(`${deletions} INSERT INTO queue DEFAULT VALUES`);
        },
      };
    },
  });
});
