// Benchmark: cost of jobs that are not archived, for a server on SQLite. Needs a build before it.
//
//   pnpm bench:jobs [--counts=1000,10000,100000] [--record COMMIT]
//
// | figure | meaning |
// |---|---|
// | ids, metrics, bulk | `GET /2/jobs`, `/metrics` and `/2/jobs?bulk=1` |
// | query | `PUT /2/query/job` for two fields of all jobs |
// | submit | one job submitted, and the answer that it is durable |
// | first, later | milliseconds of the first request, and the median of those after it, a job having changed before each |
// | blockedMs | the longest time for which nothing else had its turn meanwhile, of all requests of the kind |
// | ownMs | the same without the time that garbage collections took |
// | 50 clients | milliseconds, median and 99th of 100, of requests of 50 clients at a time, one path after the other |
//
// One process is server and client, so that the client's share of the time is counted too. All but 20 jobs have ended.
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PerformanceObserver } from "node:perf_hooks";
import { noDurations } from "@ganeti-ts/simulated-nodes";
import { openSqliteStore } from "@ganeti-ts/store/sqlite";
import { helpIfAsked, recordIfAsked } from "../../../tooling/bench.js";
import { createLog, readOptions, serve } from "../dist/bench-parts.js";

/** @typedef {import("./bench-parts.js").Served} Served */

helpIfAsked(new URL(import.meta.url));

const given = process.argv.find((word) => word.startsWith("--counts="))?.slice("--counts=".length);
const counts = (given ?? "1000,10000,100000").split(",").map(Number);
const rounds = 5;
/** @param {number} value */
const rounded = (value) => Number(value.toPrecision(3));

const ended = [1_700_000_000, 5];

/** @param {number} id */
function endedJob(id) {
  const opcode = {
    input: { OP_ID: "OP_INSTANCE_STARTUP", instance_name: `web${id}.example.com`, reason: [] },
    status: "success",
    result: true,
    priority: 0,
    log: [],
    started: ended,
    executed: ended,
    ended,
  };
  const job = { id, opcodes: [opcode], received: ended, started: ended, ended };
  return {
    kind: "job",
    job,
    status: "success",
    priority: 0,
    claim: null,
    isNew: true,
    opcodes: [0],
    log: [],
  };
}

/** @param {string} file @param {number} count */
async function fill(file, count) {
  const store = openSqliteStore(file);
  for (let at = 0; at < count; at += 1000) {
    const ids = Array.from({ length: Math.min(1000, count - at) }, (_, index) => at + index + 1);
    await store.step(
      () => [],
      () => [{ kind: "serial", serial: ids.at(-1) ?? 0 }, ...ids.map(endedJob)],
    );
  }
  await store.close();
}

/** @param {string} folder @param {readonly string[]} more */
const optionsOf = (folder, more) => {
  const words = ["--data-dir", folder, "-p", "0", "--no-ssl", "--iallocator-search-path="];
  const options = readOptions([...words, ...more]);
  if (typeof options === "string") throw new Error(options);
  return options;
};

/**
 * Bytes of an answer, thrown away as they come.
 * @param {Served} served @param {string} method @param {string} path @param {string} body
 * @returns {Promise<number>}
 */
const ask = (served, method, path, body = "") =>
  new Promise((resolve, reject) => {
    const { socket: socketPath } = served.directory;
    const asked = request({ socketPath, method, path, headers: headersOf(body) }, (response) => {
      let bytes = 0;
      response.on("data", (chunk) => {
        bytes += chunk.length;
      });
      response.on("end", () => {
        if (response.statusCode === 200) resolve(bytes);
        else reject(new Error(`${method} ${path}: ${response.statusCode}`));
      });
    });
    asked.on("error", reject);
    asked.end(body);
  });

/** @param {string} body @returns {Record<string, string | number>} */
const headersOf = (body) =>
  body === "" ? {} : { "content-type": "application/json", "content-length": body.length };

/**
 * The longest pause between two turns of the event loop while `work` goes on.
 * @param {() => Promise<unknown>} work
 */
async function blockedIn(work) {
  /** @type {{ from: number, to: number }[]} */
  const turns = [];
  let isOver = false;
  let last = performance.now();
  const look = () => {
    const now = performance.now();
    turns.push({ from: last, to: now });
    last = now;
    if (!isOver) setImmediate(look);
  };
  collections.length = 0;
  setImmediate(look);
  const start = performance.now();
  await work();
  const ms = performance.now() - start;
  isOver = true;
  turns.push({ from: last, to: performance.now() });
  // The observer is notified a turn later.
  await new Promise((resolve) => setTimeout(resolve, 10));
  let ownMs = 0;
  for (const { from, to } of turns.sort((a, b) => b.to - b.from - (a.to - a.from)).slice(0, 100)) {
    const inside = collections.filter((one) => one.startTime >= from && one.startTime < to);
    const gcMs = inside.reduce((sum, { duration }) => sum + duration, 0);
    ownMs = Math.max(ownMs, to - from - gcMs);
  }
  const [worst] = turns;
  return { ms, blockedMs: worst === undefined ? 0 : worst.to - worst.from, ownMs };
}

/** @type {{ startTime: number, duration: number }[]} */
const collections = [];
new PerformanceObserver((list) => collections.push(...list.getEntries())).observe({
  entryTypes: ["gc"],
});

/** @param {Served} served @param {string} path */
async function manyClients(served, path) {
  /** @type {number[]} */
  const times = [];
  const client = async () => {
    for (let round = 0; round < 10; round++) {
      const start = performance.now();
      await ask(served, "GET", path);
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: 50 }, client));
  times.sort((a, b) => a - b);
  const at = (/** @type {number} */ share) => rounded(times[Math.floor(times.length * share)] ?? 0);
  return { p50: at(0.5), p99: at(0.99) };
}

/** @param {Served} served @param {() => Promise<unknown>} work */
async function figuresOf(served, work) {
  const first = await blockedIn(work);
  const later = [];
  for (let round = 0; round < rounds; round++) {
    await submit(served);
    await new Promise((resolve) => setTimeout(resolve, 100));
    later.push(await blockedIn(work));
  }
  const times = later.map(({ ms }) => ms).sort((a, b) => a - b);
  return {
    first: rounded(first.ms),
    later: rounded(times[Math.floor(rounds / 2)] ?? 0),
    blockedMs: rounded(Math.max(first.blockedMs, ...later.map(({ blockedMs }) => blockedMs))),
    ownMs: rounded(Math.max(first.ownMs, ...later.map(({ ownMs }) => ownMs))),
  };
}

/** @param {Served} served */
const submit = (served) => ask(served, "PUT", "/2/redistribute-config");

/** @param {number} count */
async function measure(count) {
  const folder = mkdtempSync(join(tmpdir(), "many-jobs-"));
  const log = createLog("silent");
  const choices = { durations: noDurations };
  const made = await serve(optionsOf(folder, ["--init=bench.example.com"]), log, choices);
  await made.stop();
  await fill(made.directory.database, count);
  const served = await serve(optionsOf(folder, []), log, choices);
  await served.world.queue.change({ runningMax: 0 });
  for (let at = 0; at < 20; at++) await submit(served);
  const bytes = await ask(served, "GET", `/2/jobs/${count}`);
  if (bytes < 200) throw new Error("the jobs are missing");
  const figures = {
    metrics: await figuresOf(served, () => ask(served, "GET", "/metrics")),
    ids: await figuresOf(served, () => ask(served, "GET", "/2/jobs")),
    bulk: await figuresOf(served, () => ask(served, "GET", "/2/jobs?bulk=1")),
    query: await figuresOf(served, () =>
      ask(
        served,
        "PUT",
        "/2/query/job",
        '{"fields":["id","status"],"qfilter":["!=","status","x"]}',
      ),
    ),
    "50 clients /healthz": await manyClients(served, "/healthz"),
    "50 clients /metrics": await manyClients(served, "/metrics"),
    "50 clients /2/jobs": await manyClients(served, "/2/jobs"),
    submit: await figuresOf(served, () => submit(served)),
  };
  await served.stop();
  rmSync(folder, { recursive: true });
  return figures;
}

const results = {};
for (const count of counts) {
  const figures = await measure(count);
  for (const [kind, figure] of Object.entries(figures)) {
    console.log(String(count), kind, JSON.stringify(figure));
  }
  results[count] = figures;
}
recordIfAsked(new URL("many-jobs-baseline.json", import.meta.url), { results });
