import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createLockManager } from "@ganeti-ts/locking";
import { openPostgresStore } from "@ganeti-ts/store/postgres";
import { startPostgres, wherePostgresIsInstalled } from "@ganeti-ts/testkit/postgres";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { comesTo, eventually, openQueue } from "./conformance/world.js";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// Inside the package, so that the drivers are found.
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(here("./dist-"));
  await build({
    entryPoints: [here("./crashes/still-worker.ts"), here("../src/postgres/lease-thread.js")],
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

wherePostgresIsInstalled(
  test,
  "a worker whose main loop stands still for a lease is taken over, and finds that out when it goes on",
  async () => {
    const server = await startPostgres();
    const { connection } = server;
    const [notes, end] = [join(folder, "notes"), join(folder, "end")];
    const noted = (word: string) =>
      eventually(() => existsSync(notes) && readFileSync(notes, "utf8").includes(word), word);
    const child = spawn(
      process.execPath,
      [join(folder, "still-worker.js"), String(connection.host), "2000", notes, end],
      { stdio: ["ignore", "ignore", "inherit"] },
    );
    const ended = new Promise((resolve) => child.once("exit", resolve));
    const store = await openPostgresStore({ connection });
    const other = await openQueue({
      store,
      locks: createLockManager({ store: store.locks }),
      kill: () => store.leave(),
    });
    try {
      await noted("still");
      await comesTo(other, 1, "error");
      // Only now does the main loop turn again.
      expect(readFileSync(notes, "utf8")).toBe("still\n");
      writeFileSync(end, "");
      await noted("lost");
      expect(readFileSync(notes, "utf8")).toBe("still\nturns\nlost\n");
    } finally {
      child.kill("SIGKILL");
      await ended;
      await other.stop();
      await server.stop();
    }
  },
);
