// Benchmark of the local protocol on a cluster of 1 000 instances. Needs a build before it.
//
//   node bench/luxi.js [--seconds=2] [--beside] [--write]
//
// | figure | what is measured |
// |---|---|
// | submit | `SubmitJob` of a job that depends on one that waits: time until its id is there, 1 connection |
// | query | `Query` of 1 000 instances with 8 fields of the configuration, 1 connection |
// | small | `QueryConfigValues` of the cluster's name, 1 and 20 connections |
// | waiters | processor time a second while 100 clients wait for a job that does not change |
//
// `--beside` asks the same of Ganeti 3.0.2 on a bench of its own (root; see tooling/reference) in the same run.
// `--write` keeps the figures in luxi-baseline.json.
import { fork } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createLuxiClient } from "@ganeti-ts/luxi";
import { withReferenceCluster } from "@ganeti-ts/reference";
import { helpIfAsked, thisMachine } from "../../../tooling/bench.js";
import { makeCluster } from "./clusters.js";
import { execArgv } from "./measured.js";

helpIfAsked(new URL(import.meta.url));
const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "2" },
    beside: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});
const milliseconds = Number(values.seconds) * 1000;
const instanceCount = 1000;
const fields = ["name", "uuid", "pnode", "os", "be/maxmem", "be/vcpus", "tags", "admin_state"];

/** @typedef {import("@ganeti-ts/luxi").LuxiClient} Client */

/**
 * Calls a second, and the median of their times in ms.
 * @param {string} path @param {number} connections @param {(client: Client) => Promise<unknown>} call
 */
async function rate(path, connections, call) {
  const clients = Array.from({ length: connections }, () => createLuxiClient({ path }));
  for (const client of clients) await call(client);
  /** @type {number[]} */
  const times = [];
  const begun = performance.now();
  const one = async (/** @type {Client} */ client) => {
    do {
      const start = performance.now();
      await call(client);
      times.push(performance.now() - start);
    } while (performance.now() - begun < milliseconds);
  };
  await Promise.all(clients.map(one));
  const elapsed = performance.now() - begun;
  for (const client of clients) client.close();
  times.sort((a, b) => a - b);
  return {
    perSecond: Number(((times.length / elapsed) * 1000).toFixed(1)),
    medianMs: Number((times[times.length >> 1] ?? 0).toFixed(3)),
  };
}

const delay = (/** @type {number} */ duration, /** @type {object} */ more = {}) =>
  /** @type {never} */ ([
    { OP_ID: "OP_TEST_DELAY", duration, on_master: false, reason: [], ...more },
  ]);

/**
 * All figures of the server behind a socket. `cpuMs` tells the processor time that it has used.
 * @param {string} path @param {() => number} cpuMs
 */
async function figuresOf(path, cpuMs) {
  const client = createLuxiClient({ path });
  const query = /** @type {const} */ ({ kind: "instance", fields, filter: null });
  const { data } = await client.query(query);
  if (data.length < instanceCount) throw new Error(`only ${data.length} instances`);
  const names = { names: ["cluster_name"] };
  const small = async (/** @type {number} */ connections) =>
    rate(path, connections, (client) => client.queryConfigValues(names));
  const figures = {
    query: await rate(path, 1, (client) => client.query(query)),
    small: { one: await small(1), twenty: await small(20) },
    waiters: 0,
    submit: { perSecond: 0, medianMs: 0 },
  };
  const id = await client.submitJob({ opcodes: delay(3600) });
  /** @type {unknown} */
  let previous = null;
  while (/** @type {unknown[] | null} */ (previous)?.[0] !== "running") {
    const wait = {
      id,
      fields: ["status"],
      previous: /** @type {never} */ (previous),
      serial: null,
    };
    [previous] = /** @type {[unknown]} */ (
      /** @type {unknown} */ (await client.waitForJobChange({ ...wait, seconds: 30 }))
    );
  }
  const waiting = Array.from({ length: 100 }, () => createLuxiClient({ path }));
  const wait = { id, fields: ["status"], previous: ["running"], serial: null, seconds: 8 };
  const waits = waiting.map((one) => one.waitForJobChange(wait));
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const before = cpuMs();
  await new Promise((resolve) => setTimeout(resolve, 4000));
  figures.waiters = Number(((cpuMs() - before) / 4).toFixed(1));
  await Promise.all(waits);
  for (const one of waiting) one.close();
  // None of these starts while the first one runs.
  const held = delay(0.01, { depends: [[id, []]] });
  figures.submit = await rate(path, 1, (client) => client.submitJob({ opcodes: held }));
  await client.cancelJob({ id, kill: true });
  client.close();
  return figures;
}

/** Processor time in ms of processes, by /proc. @param {readonly number[]} pids */
function cpuOf(pids) {
  let ticks = 0;
  for (const pid of pids) {
    try {
      const text = readFileSync(`/proc/${pid}/stat`, "utf8");
      const [user, system] = text
        .slice(text.lastIndexOf(")") + 2)
        .split(" ")
        .slice(11, 13);
      ticks += Number(user) + Number(system);
    } catch {
      // It has ended.
    }
  }
  return ticks * 10;
}

async function ours() {
  const folder = mkdtempSync(join(tmpdir(), "luxi-bench-"));
  await makeCluster(folder, { nodeCount: 20, instanceCount });
  const server = fileURLToPath(new URL("server.js", import.meta.url));
  const child = fork(server, [folder], { execArgv });
  await new Promise((resolve) => child.once("message", resolve));
  const path = join(folder, "vroot/node1.example.com/var/run/ganeti/socket/ganeti-query");
  try {
    return await figuresOf(path, () => cpuOf([/** @type {number} */ (child.pid)]));
  } finally {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
    rmSync(folder, { recursive: true });
  }
}

/** Ganeti's, whose configuration gets copies of an instance of its own. */
const theirs = () =>
  withReferenceCluster({}, async (bench) => {
    await bench.stopMaster();
    const config = JSON.parse(readFileSync(bench.configFile, "utf8"));
    const [model] = Object.values(config.instances).filter(({ disks }) => disks.length === 0);
    for (let at = 0; at < instanceCount; at++) {
      const uuid = `00000009-0000-4000-8000-${String(at).padStart(12, "0")}`;
      const nics = model.nics.map((/** @type {object} */ nic) => ({
        ...nic,
        network: null,
        ip: null,
      }));
      const name = `copy${at}.example.com`;
      config.instances[uuid] = { ...model, uuid, name, nics, admin_state: "down" };
    }
    writeFileSync(bench.configFile, JSON.stringify(config));
    await bench.startAll();
    return figuresOf(bench.luxiSocket, () => cpuOf(bench.processes()));
  });

const figures = {
  ours: await ours(),
  ...(values.beside && { ganeti: await theirs() }),
  instances: instanceCount,
  load: loadavg()[0],
};
console.log(JSON.stringify(figures, null, 2));
if (values.write) {
  const file = new URL("luxi-baseline.json", import.meta.url);
  writeFileSync(file, `${JSON.stringify({ ...figures, ...thisMachine() }, null, 2)}\n`);
}
