import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ConfigStore,
  Configuration,
  consistencyFaults,
  createConfiguration,
  initialConfiguration,
} from "@ganeti-ts/config";
import { secureRandom } from "@ganeti-ts/protocol";
import { openPostgresConfigStore } from "@ganeti-ts/store/postgres";
import { openSqliteConfigStore } from "@ganeti-ts/store/sqlite";
import { startPostgres, wherePostgresIsInstalled } from "@ganeti-ts/testkit/postgres";
import { expect, test } from "vitest";
import { bundled } from "./crashes/bundled.js";

const inFolder = bundled("./config-worker.ts", "../../src/sqlite/writing-thread.js");

/** Two nodes, and ports enough for all that is added. */
const begin = async (store: ConfigStore) => {
  const nodes = [1, 2].map((n) => ({ name: `node${n}`, primary_ip: `192.0.2.${n}` }));
  const cluster = { master_ip: "192.0.2.100" };
  const ports = { random: secureRandom, now: 1 };
  await createConfiguration(
    store,
    initialConfiguration({ clusterName: "c.example.com", nodes, cluster, ...ports }),
  );
  await store.close();
};

/** Runs a worker until it has said that it keeps `count` more, and kills it in the middle of others. */
function untilKilled(prefix: string, place: string, count: number): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const worker: ChildProcess = spawn(
      process.execPath,
      [inFolder("config-worker.js"), prefix, place],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    let text = "";
    worker.stdout?.on("data", (data) => {
      text += String(data);
      if (text.split("\n").length > count) worker.kill("SIGKILL");
    });
    worker.on("error", reject);
    worker.on("exit", () => resolve(text.split("\n").slice(0, -1)));
  });
}

async function expectKept(store: ConfigStore, names: readonly string[], countMin: number) {
  const clock = { wallMicros: () => Date.now() * 1000 };
  const { snapshot } = await Configuration.open(store, { clock, random: secureRandom });
  expect(consistencyFaults(snapshot)).toEqual([]);
  expect(names.filter((name) => snapshot.findInstance(name) === undefined)).toEqual([]);
  expect(names.length).toBeGreaterThan(countMin);
  await store.close();
}

test("SQLite: a configuration whose process is killed keeps what it acknowledged, and is whole", async () => {
  const place = mkdtempSync(join(tmpdir(), "config-"));
  const path = join(place, "ganeti.db");
  await begin(openSqliteConfigStore(path));
  const names: string[] = [];
  for (const round of [1, 2, 3]) {
    names.push(...(await untilKilled(`round${round}`, path, 20 * round)));
    await expectKept(openSqliteConfigStore(path), names, 15 * round);
  }
  rmSync(place, { recursive: true });
});

wherePostgresIsInstalled(
  test,
  "PostgreSQL: processes that share a configuration are killed; what they acknowledged is kept",
  async () => {
    const server = await startPostgres();
    const options = { connection: server.connection, pollMs: 60_000 };
    await begin(await openPostgresConfigStore(options));
    const place = JSON.stringify(options);
    const workers = ["a", "b"].map((prefix, at) => untilKilled(prefix, place, 60 + 60 * at));
    const names = (await Promise.all(workers)).flat();
    await expectKept(await openPostgresConfigStore(options), names, 150);
    await server.stop();
  },
);
