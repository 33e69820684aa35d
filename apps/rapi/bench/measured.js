// A server in a process of its own, and the figures of loads on it.
import { fork } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connected, keepAlive, newConnections } from "./clients.js";
import { makeCluster } from "./clusters.js";

const programText = readFileSync(new URL("../dist/ganeti-rapi.js", import.meta.url), "utf8");
/** Options for Node, as the first line of the program has them. */
export const execArgv = /^#!.*? node (.*)/.exec(programText)?.[1]?.split(" ") ?? [];

export const authorization = `Basic ${btoa("bench:abc123")}`;

/** @typedef {{ nodeCount: number, instanceCount: number, hypervisor?: string, cpuTotal?: number }} Size */
/** @typedef {{ cpuMs: number, rowCpuMs: number, rssMib: number, heapMib: number }} Usage */
/** @typedef {Awaited<ReturnType<typeof startServer>>} Server */
/** @typedef {Awaited<ReturnType<typeof connected>>} Connection */

/**
 * Starts a server with a new cluster of this size.
 * @param {Size} size
 * @param {string} [store] `postgres://…` of an empty database; files if absent
 */
export async function startServer(size, store) {
  const folder = mkdtempSync(join(tmpdir(), "rapi-bench-"));
  await makeCluster(folder, size, store);
  const start = performance.now();
  const more = store === undefined ? [] : [`--store=${store}`];
  const server = fileURLToPath(new URL("server.js", import.meta.url));
  const child = fork(server, [folder, ...more], { execArgv });
  /** @type {(error: Error) => void} */
  let lost = () => {};
  child.on("exit", (code) => lost(new Error(`the server ended with ${code}`)));
  const next = () =>
    new Promise((resolve, reject) => {
      lost = reject;
      child.once("message", resolve);
    });
  const port = /** @type {number} */ (await next());
  const to = { host: "127.0.0.1", port, authorization };
  return {
    ...to,
    /** Figures of requests through the local socket, without TLS. */
    socketPath: join(folder, "rapi.sock"),
    /** Time from the start of the process until it answers. */
    startMs: performance.now() - start,
    /** @returns {Promise<Usage>} */
    usage() {
      const answer = next();
      child.send("usage");
      return /** @type {Promise<Usage>} */ (answer);
    },
    connect: () => connected({ ...to, version: "TLSv1.3" }),
    async stop() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill();
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

const versions = /** @type {const} */ (["TLSv1.2", "TLSv1.3"]);
const manners = /** @type {const} */ ([
  ["keep-alive", keepAlive],
  ["new connection", newConnections],
]);

/**
 * Both versions of TLS, both manners, one connection and four; without `server.usage` only what such a
 * server can do: a new connection for each request.
 * @param {{ host: string, port: number, authorization: string, usage?: () => Promise<Usage> }} server
 * @param {string} path @param {number} milliseconds
 * @param {(figure: Record<string, unknown>) => void} tell
 */
export async function loads(server, path, milliseconds, tell) {
  for (const version of versions) {
    for (const [manner, load] of manners) {
      if (server.usage === undefined && manner === "keep-alive") continue;
      for (const connections of [1, 4]) {
        // Warm-up, so that compiled code and caches are not counted.
        const warming = Math.min(1000, milliseconds);
        if (server.usage)
          await load({ ...server, path, version, connections, milliseconds: warming });
        const before = await server.usage?.();
        const start = performance.now();
        const loaded = await load({ ...server, path, version, connections, milliseconds });
        const seconds = (performance.now() - start) / 1000;
        if (loaded === undefined) {
          console.error("no python3: nothing is measured with a new connection for each request");
          continue;
        }
        const after = await server.usage?.();
        const { times, cpuMs } = loaded;
        const perRequest = (/** @type {number} */ ms) => rounded((ms * 1000) / times.length);
        tell({
          path,
          version,
          manner,
          connections,
          perSecond: rounded(times.length / Math.min(seconds, milliseconds / 1000)),
          ...percentiles(times),
          clientMicros: perRequest(cpuMs),
          ...(before && after ? { serverMicros: perRequest(after.cpuMs - before.cpuMs) } : {}),
        });
      }
    }
  }
}

/** @param {readonly number[]} times */
export function percentiles(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (/** @type {number} */ part) => rounded(sorted[Math.floor(sorted.length * part)]);
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}

export const rounded = (/** @type {number | undefined} */ value = 0) =>
  Number(value.toPrecision(3));
