// Benchmark: Ganeti's master and this server on the same node daemons, one after the other. Needs a build before it,
// root and Debian's Ganeti: see tooling/reference.
//
//   node bench/ganeti-nodes.js [--count=N]
//
// | figure | meaning |
// |---|---|
// | creations, removals | diskless instances per second, all submitted at once; node calls for each, and per second in all |
// | cpuMs | processor time (ms) of the master's side for each job: daemons and job processes, without node daemons |
// | memoryMib | memory of the master's side (resident set): at rest, and the most that was seen while instances were created |
// | live, plain | milliseconds (median of 9) of a query for live data of instances, and of one for names and primary nodes |
// | verify | seconds of `gnt-cluster verify` |
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { withReferenceCluster } from "@ganeti-ts/reference";
import { helpIfAsked } from "../../../tooling/bench.js";

/**
 * @typedef {import("@ganeti-ts/reference").ReferenceBench} Bench
 * @typedef {(method: string, path: string, body?: unknown) => Promise<any>} Ask
 * @typedef {{ ask: Ask, verify: () => Promise<unknown>, isMaster: (commandLine: string) => boolean }} Master
 */

helpIfAsked(new URL(import.meta.url));

const given = process.argv.find((word) => word.startsWith("--count="))?.slice("--count=".length);
const count = Number(given ?? 30);
const names = Array.from({ length: count }, (_, at) => `inst${20 + at}.example.com`);
const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));

/** Clock ticks of /proc, in ms. */
const tickMs = 10;

/** @param {number} pid */
function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const [own = 0, system = 0, children = 0, childrenSystem = 0] = fields.slice(11, 15);
    return { own: own + system, children: children + childrenSystem, pages: fields[21] ?? 0 };
  } catch {
    return { own: 0, children: 0, pages: 0 };
  }
}

/** Processes of the master's side, and the first process of the bench, which inherits job processes. */
const sideOf = (/** @type {Bench} */ bench, /** @type {Master} */ { isMaster }) =>
  bench.processes().filter((pid) => {
    try {
      return isMaster(readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " "));
    } catch {
      return false;
    }
  });

/** Processor time of the master's side so far (ms), of its ended job processes too. */
function cpuMs(/** @type {Bench} */ bench, /** @type {Master} */ master) {
  const inherited = statOf(bench.initPid).children;
  const ticks = sideOf(bench, master)
    .map(statOf)
    .reduce((sum, one) => sum + one.own + one.children, 0);
  return (ticks + inherited) * tickMs;
}

const memoryMib = (/** @type {Bench} */ bench, /** @type {Master} */ master) =>
  sideOf(bench, master).reduce((sum, pid) => sum + statOf(pid).pages, 0) / 256;

/** Resolves when the jobs have ended. @throws Error if one has failed */
async function ended(/** @type {Ask} */ ask, /** @type {number[]} */ jobs) {
  const finalized = ["success", "error", "canceled"];
  const open = new Set(jobs);
  while (open.size > 0) {
    await sleep(50);
    const listed = await ask("GET", "/2/jobs?bulk=1");
    for (const { id, status, opresult } of listed) {
      if (!open.has(id) || !finalized.includes(status)) continue;
      if (status !== "success") throw new Error(`job ${id}: ${JSON.stringify(opresult)}`);
      open.delete(id);
    }
  }
}

/** @returns figures of jobs that `submit` gives, all at once */
async function batch(
  /** @type {Bench} */ bench,
  /** @type {Master} */ master,
  /** @type {(name: string) => Promise<number>} */ submit,
) {
  const cpuBefore = cpuMs(bench, master);
  let most = 0;
  const watching = setInterval(() => {
    most = Math.max(most, memoryMib(bench, master));
  }, 500);
  const { recording, value: seconds } = await bench.record(async () => {
    const began = performance.now();
    const jobs = await Promise.all(names.map(submit));
    if (!jobs.every(Number.isInteger)) throw new Error(`refused: ${JSON.stringify(jobs[0])}`);
    await ended(master.ask, jobs);
    return (performance.now() - began) / 1000;
  });
  clearInterval(watching);
  const calls = recording.nodeCalls.length;
  return {
    perSecond: round(count / seconds),
    callsEach: round(calls / count),
    callsPerSecond: round(calls / seconds),
    cpuMs: round((cpuMs(bench, master) - cpuBefore) / count),
    memoryMib: Math.round(most),
  };
}

const round = (/** @type {number} */ value) => Number(value.toPrecision(3));

async function median(/** @type {() => Promise<unknown>} */ work) {
  const times = [];
  for (let round = 0; round < 9; round++) {
    const began = performance.now();
    await work();
    times.push(performance.now() - began);
  }
  return round(times.sort((a, b) => a - b)[4] ?? 0);
}

async function figuresOf(/** @type {Bench} */ bench, /** @type {Master} */ master) {
  const { ask } = master;
  const nodes = bench.nodes.map(({ name }) => name);
  const atRest = memoryMib(bench, master);
  const common = { __version__: 1, mode: "create", disk_template: "diskless", disks: [], nics: [] };
  const checks = { ip_check: false, name_check: false, os_type: "noop+default", start: true };
  const beparams = { minmem: 16, maxmem: 16, vcpus: 1 };
  const creations = await batch(bench, master, (name) =>
    ask("POST", "/2/instances", {
      ...{ ...common, ...checks, beparams, instance_name: name },
      pnode: nodes[names.indexOf(name) % nodes.length],
    }),
  );
  const fields = ["name", "oper_state", "oper_ram"];
  const live = await median(() => ask("PUT", "/2/query/instance", { fields }));
  const plain = await median(() => ask("PUT", "/2/query/instance", { fields: ["name", "pnode"] }));
  const began = performance.now();
  await master.verify();
  const verify = round((performance.now() - began) / 1000);
  const removals = await batch(bench, master, (name) => ask("DELETE", `/2/instances/${name}`));
  return { atRestMib: Math.round(atRest), creations, removals, live, plain, verify };
}

const original = (/** @type {Bench} */ bench) => ({
  ask: async (
    /** @type {string} */ method,
    /** @type {string} */ path,
    /** @type {unknown} */ body,
  ) => JSON.parse((await bench.request(method, path, body)).text),
  verify: () => bench.attempt("gnt-cluster", ["verify"]),
  isMaster: (/** @type {string} */ line) =>
    /ganeti-(luxid|wconfd|rapi)|ganeti\/jqueue\/exec|ganeti\.jqueue\.exec/.test(line),
});

async function ours(/** @type {Bench} */ bench) {
  await bench.stopMaster();
  const data = mkdtempSync(join(tmpdir(), "ganeti-nodes-bench-"));
  const options = ["--nodes=ganeti", `--data-dir=${data}`, "-p", "0", "--no-ssl"];
  const server = bench.spawn(process.execPath, [here("../dist/ganeti-rapi.js"), ...options]);
  await new Promise((resolve, reject) => {
    let log = "";
    server.stderr?.setEncoding("utf8").on("data", (text) => {
      log += text;
      if (log.includes('"ready"') && log.includes("the cluster's address")) resolve(undefined);
    });
    server.once("exit", () => reject(new Error(log)));
  });
  const socketPath = join(data, "rapi.sock");
  /** @type {Ask} */
  const ask = (method, path, body) =>
    new Promise((resolve, reject) => {
      const headers = body === undefined ? {} : { "Content-Type": "application/json" };
      const sent = request({ socketPath, method, path, headers }, async (answer) => {
        const parts = [];
        for await (const part of answer) parts.push(part);
        resolve(JSON.parse(Buffer.concat(parts).toString("utf8")));
      });
      sent.on("error", reject).end(body === undefined ? undefined : JSON.stringify(body));
    });
  const verify = () =>
    new Promise((resolve) => {
      const program = here("../../gnt/dist/gnt-cluster.js");
      const env = { ...process.env, GANETI_TS_DATA: data };
      spawn(process.execPath, [program, "verify"], { env, stdio: "ignore" }).on("close", resolve);
    });
  const isMaster = (/** @type {string} */ line) => line.includes("ganeti-rapi.js --nodes");
  const stop = () =>
    new Promise((resolve) => {
      server.once("exit", resolve);
      server.kill("SIGTERM");
    }).then(() => rmSync(data, { recursive: true }));
  return { ask, verify, isMaster, stop };
}

await withReferenceCluster({}, async (bench) => {
  console.log(JSON.stringify({ original: await figuresOf(bench, original(bench)) }, null, 2));
  const own = await ours(bench);
  console.log(JSON.stringify({ ours: await figuresOf(bench, own) }, null, 2));
  await own.stop();
});
