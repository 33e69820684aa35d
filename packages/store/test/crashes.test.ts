import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isThorough } from "@ganeti-ts/testkit";
import { startPostgres, wherePostgresIsInstalled } from "@ganeti-ts/testkit/postgres";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { crashPostgres, crashSqlite, type Report } from "./crashes/crashes.js";

const kills = isThorough ? 3 : 2;
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// Inside the package, so that the drivers are found.
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(here("./dist-"));
  await build({
    entryPoints: [
      here("./crashes/worker.ts"),
      here("../src/postgres/lease-thread.js"),
      here("../src/sqlite/writing-thread.js"),
    ],
    bundle: true,
    platform: "node",
    format: "esm",
    external: ["libsql", "pg"],
    entryNames: "[name]",
    outdir: folder,
    logLevel: "error",
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function expectNothingLost({ faults, acknowledged, begun }: Report): void {
  expect(faults).toEqual([]);
  expect(acknowledged).toBeGreaterThan(0);
  expect(begun).toBeGreaterThan(0);
}

test("SQLite: killed at random, a queue loses nothing and runs nothing twice", async () => {
  expectNothingLost(await crashSqlite(join(folder, "worker.js"), kills));
});

wherePostgresIsInstalled(
  test,
  "PostgreSQL: when workers are killed, others take over, and nothing runs twice",
  async () => {
    const server = await startPostgres();
    try {
      const report = await crashPostgres(join(folder, "worker.js"), kills, server);
      expectNothingLost(report);
      expect(report.takeoverMs).toBeGreaterThan(0);
    } finally {
      await server.stop();
    }
  },
);
