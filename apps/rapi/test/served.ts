/** A whole server on a port of its own, with a cluster of four nodes whose operations take no time. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "@ganeti-ts/protocol";
import { noDurations } from "@ganeti-ts/simulated-nodes";
import { createLog, type Log } from "../src/log.js";
import { type Options, readOptions } from "../src/program/options.js";
import { type Served, serve } from "../src/program/serve.js";
import { type BySocket, sendBySocket } from "./by-socket.js";
import { askingOf, type TestWorld } from "./world.js";

export interface TestServer extends Served {
  readonly port: number;
  /** Sends a request without a socket, by default as jack, who may write. */
  readonly ask: TestWorld["ask"];
  /** Sends a request to the local socket, which has all rights. */
  send(
    method: string,
    path: string,
    body?: Json | Buffer,
    headers?: Record<string, string>,
  ): Promise<BySocket>;
  /** Content of its `rapi.pem`; empty without one. */
  readonly certificate: string;
  /** Stops the server, and starts another one on its data. */
  again(): Promise<TestServer>;
  /** Starts another one on the same data, and stops it again. */
  beside(): Promise<void>;
  /** Stops the server, and removes its data. */
  end(): Promise<void>;
}

/** Settings for special cases. */
interface Special {
  /** The file of users. */
  readonly users?: string;
  /** Silent if absent. */
  readonly log?: Log;
  /** Changes the data directory before the server starts for the first time. */
  readonly prepare?: (folder: string) => Promise<void>;
}

export const aServer = (...args: string[]): Promise<TestServer> => aSpecialServer({}, ...args);

export async function aSpecialServer(special: Special, ...args: string[]): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), "rapi-"));
  mkdirSync(join(folder, "rapi"));
  const { users = "jack abc123 write\nrita look read\n", prepare } = special;
  writeFileSync(join(folder, "rapi", "users"), users);
  await prepare?.(folder);
  return started(folder, special, args);
}

/** Options of a server on any free port, with hail as the only allocator. */
export function serverOptions(folder: string, args: readonly string[] = []): Options {
  const usual = ["-p", "0", "--init=demo.example.com", "--iallocator-search-path="];
  // As on a cluster of Ganeti, because most tests send requests without a user.
  if (!args.includes("--require-authentication")) usual.push("--anonymous-reads");
  const options = readOptions(["--data-dir", folder, ...usual, ...args]);
  if (typeof options === "string") throw new Error(options);
  return options;
}

async function started(
  folder: string,
  special: Special,
  args: readonly string[],
): Promise<TestServer> {
  const options = serverOptions(folder, args);
  const start = () =>
    serve(options, special.log ?? createLog("silent"), { durations: noDurations });
  const served = await start();
  const { certificate, socket: socketPath } = served.directory;
  return {
    ...served,
    ask: askingOf(served.world),
    send: (method, path, body, headers = {}) =>
      sendBySocket({ socketPath, method, path, headers }, body),
    port: Number(new URL(served.url).port),
    certificate: existsSync(certificate) ? readFileSync(certificate, "utf8") : "",
    async again() {
      await served.stop();
      return started(folder, special, args);
    },
    beside: async () => (await start()).stop(),
    async end() {
      await served.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
