import { LeaseLostError } from "@ganeti-ts/job-queue";
import { openPostgresStore } from "@ganeti-ts/store/postgres";
import { startPostgres, wherePostgresIsInstalled } from "@ganeti-ts/testkit/postgres";
import pg from "pg";
import { expect, test } from "vitest";

wherePostgresIsInstalled(
  test,
  "a worker whose sessions the database refuses until its lease is over reports a lost lease",
  async () => {
    const server = await startPostgres();
    const onlooker = new pg.Client(server.connection);
    onlooker.on("error", () => {});
    await onlooker.connect();
    await onlooker.query("CREATE ROLE worker LOGIN SUPERUSER");
    const connection = { ...server.connection, user: "worker" };
    const store = await openPostgresStore({ connection, leaseMs: 1000 });
    const step = () =>
      store.step(
        () => [],
        () => [],
      );
    try {
      await step();
      await onlooker.query("ALTER ROLE worker NOLOGIN");
      await onlooker.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'worker'",
      );
      const problem = await step().catch((error: unknown) => error);
      expect(problem).toBeInstanceOf(LeaseLostError);
      expect((problem as Error).message).toMatch(/^worker \d+:1 has lost its lease$/);
    } finally {
      await store.leave();
      await onlooker.end();
      await server.stop();
    }
  },
);
