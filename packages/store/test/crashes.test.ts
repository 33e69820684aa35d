import { isThorough } from "@ganeti-ts/testkit";
import { startPostgres, wherePostgresIsInstalled } from "@ganeti-ts/testkit/postgres";
import { expect, test } from "vitest";
import { bundled } from "./crashes/bundled.js";
import { crashPostgres, crashSqlite, type Report } from "./crashes/crashes.js";

const kills = isThorough ? 3 : 2;
const inFolder = bundled(
  "./worker.ts",
  "../../src/postgres/lease-thread.js",
  "../../src/sqlite/writing-thread.js",
);

function expectNothingLost({ faults, acknowledged, begun }: Report): void {
  expect(faults).toEqual([]);
  expect(acknowledged).toBeGreaterThan(0);
  expect(begun).toBeGreaterThan(0);
}

test("SQLite: killed at random, a queue loses nothing and runs nothing twice", async () => {
  expectNothingLost(await crashSqlite(inFolder("worker.js"), kills));
});

wherePostgresIsInstalled(
  test,
  "PostgreSQL: when workers are killed, others take over, and nothing runs twice",
  async () => {
    const server = await startPostgres();
    try {
      const report = await crashPostgres(inFolder("worker.js"), kills, server);
      expectNothingLost(report);
      expect(report.takeoverMs).toBeGreaterThan(0);
    } finally {
      await server.stop();
    }
  },
);
