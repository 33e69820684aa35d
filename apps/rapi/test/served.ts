/** A whole server on a port of its own, with a cluster of four nodes that do everything at once. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noDurations } from "@ganeti-ts/logical-units/simulated";
import { createLog } from "../src/log.js";
import { readOptions } from "../src/program/options.js";
import { type Served, serve } from "../src/program/serve.js";

export interface TestServer extends Served {
  readonly port: number;
  /** What is in its `rapi.pem`; empty without one. */
  readonly certificate: string;
  /** Stops it, and starts another one on what it kept. */
  again(): Promise<TestServer>;
  /** Starts another one on the same data, and stops it again. */
  beside(): Promise<void>;
  /** Stops it, and removes what it kept. */
  end(): Promise<void>;
}

export async function aServer(...args: string[]): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), "rapi-"));
  mkdirSync(join(folder, "rapi"));
  writeFileSync(join(folder, "rapi", "users"), "jack abc123 write\nrita look read\n");
  return started(folder, args);
}

async function started(folder: string, args: readonly string[]): Promise<TestServer> {
  const options = readOptions([
    ...[
      "--data-dir",
      folder,
      "-p",
      "0",
      "--init=demo.example.com",
      "--iallocator-search-path=",
      ...args,
    ],
  ]);
  if (typeof options === "string") throw new Error(options);
  const start = () => serve(options, createLog("silent"), noDurations);
  const served = await start();
  const { certificate } = served.directory;
  return {
    ...served,
    port: Number(new URL(served.url).port),
    certificate: existsSync(certificate) ? readFileSync(certificate, "utf8") : "",
    async again() {
      await served.stop();
      return started(folder, args);
    },
    beside: async () => (await start()).stop(),
    async end() {
      await served.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
