/** A whole server on a port of its own, with a cluster of four nodes that do everything at once. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noDurations } from "@ganeti-ts/logical-units/simulated";
import { createLog } from "../src/log.js";
import { readOptions } from "../src/program/options.js";
import { type Served, serve } from "../src/program/serve.js";

export interface TestServer extends Served {
  readonly port: number;
  /** Stops it, and removes what it kept. */
  end(): Promise<void>;
}

export async function aServer(...args: string[]): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), "rapi-"));
  mkdirSync(join(folder, "rapi"));
  writeFileSync(join(folder, "rapi", "users"), "jack abc123 write\nrita look read\n");
  const options = readOptions([
    ...["--data-dir", folder, "-p", "0", "--init=demo.example.com", ...args],
  ]);
  if (typeof options === "string") throw new Error(options);
  const served = await serve(options, createLog("silent"), noDurations);
  return {
    ...served,
    port: Number(new URL(served.url).port),
    async end() {
      await served.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
