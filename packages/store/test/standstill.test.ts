import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createLockManager } from "@ganeti-ts/locking";
import { openPostgresStore } from "@ganeti-ts/store/postgres";
import { startPostgres, wherePostgresIsInstalled } from "@ganeti-ts/testkit/postgres";
import { expect, test } from "vitest";
import { comesTo, eventually, openQueue } from "./conformance/world.js";
import { bundled } from "./crashes/bundled.js";

const inFolder = bundled("./still-worker.ts", "../../src/postgres/lease-thread.js");

wherePostgresIsInstalled(
  test,
  "a worker whose main loop stands still for a lease is taken over, and finds that out when it goes on",
  async () => {
    const server = await startPostgres();
    const { connection } = server;
    const [notes, end] = [inFolder("notes"), inFolder("end")];
    const noted = (word: string) =>
      eventually(() => existsSync(notes) && readFileSync(notes, "utf8").includes(word), word);
    const child = spawn(
      process.execPath,
      [inFolder("still-worker.js"), String(connection.host), "2000", notes, end],
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
