import { createLockManager } from "@ganeti-ts/locking";
import { openPostgresStore, type PostgresStore } from "@ganeti-ts/store/postgres";
import { type Server, startPostgres, wherePostgresIsInstalled } from "@ganeti-ts/testkit/postgres";
import pg from "pg";
import { afterAll, beforeAll, describe } from "vitest";
import { describeJobStore } from "./conformance/job-store.js";

wherePostgresIsInstalled(describe, "PostgreSQL", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  describeJobStore("jobs in PostgreSQL", {
    shared: true,
    makeWorld: async () => {
      const { connection } = server;
      const client = new pg.Client({ ...connection, options: "-c search_path=ganeti_ts" });
      await client.connect();
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
          await client.query(
            "TRUNCATE job, job_log, job_patch, news, filter_rule, worker, queue, lock_hold, lock_wait",
          );
          await client.query("INSERT INTO queue DEFAULT VALUES");
          await client.end();
        },
      };
    },
  });
});
