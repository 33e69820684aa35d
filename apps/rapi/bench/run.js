// Benchmark of the server: throughput, latency and cost of requests. Needs a build before it.
//
//   node bench/run.js [--seconds=2] [--only=PART[,PART…]] [--write]
//     [--beside=https://10.77.0.10:5080 --beside-user=NAME:PASSWORD]
//
// | part | what is measured |
// |---|---|
// | small | `/2/info`, all instances of 6, all jobs of 200: TLS 1.2 and 1.3, connections that stay and new ones, 1 and 4 |
// | middle | all instances of 10 000, the same ways |
// | creations | 500 instances on 20 and on 1 000 nodes, through HTTP, queue, hail, simulated nodes without durations, SQLite;
// |           | on a new server, whose code is compiled meanwhile, then 500 and 2 000 more on the same one |
// | large | 1 000 nodes and 20 000 instances: see large.js; one tag also on a cluster of 6 |
// | passwords | how long a wrong password takes, of a name that is known and of one that is not |
//
// `--beside` asks another server the same as the small part, with a new connection for each request: Ganeti's own
// closes after each. `--write` keeps the figures in baseline.json. Micros are of processor time for each request.
import { readFileSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { helpIfAsked, thisMachine } from "../../../tooling/bench.js";
import { parseUsers } from "../dist/bench-parts.js";
import { create, fillQueue } from "./jobs.js";
import { large } from "./large.js";
import { loads, rounded, startServer } from "./measured.js";

helpIfAsked(new URL(import.meta.url));

const parts = ["small", "middle", "creations", "large", "passwords"];
const text = /** @type {const} */ ({ type: "string" });
const { values } = wordsRead();
const milliseconds = Number(values.seconds) * 1000;
const wanted = values.only.split(",");
const unknown = wanted.find((part) => !parts.includes(part));
if (unknown !== undefined) refuse(`there is no part ${unknown}: ${parts.join(", ")}`);

/** @type {Record<string, unknown>} */
const figures = {};
const told = (/** @type {string} */ part, /** @type {Record<string, unknown>} */ figure) => {
  console.log(part, JSON.stringify(figure));
  return figure;
};

if (wanted.includes("small")) {
  const server = await startServer({ nodeCount: 4, instanceCount: 6 });
  await fillQueue(server, 200);
  /** @type {Record<string, unknown>[]} */
  const ours = [];
  /** @type {Record<string, unknown>[]} */
  const theirs = [];
  for (const path of ["/2/info", "/2/instances?bulk=1", "/2/jobs?bulk=1"]) {
    await loads(server, path, milliseconds, (figure) => ours.push(told("small", figure)));
    if (values.beside === undefined) continue;
    const { hostname: host, port } = new URL(values.beside);
    const authorization = `Basic ${btoa(values["beside-user"] ?? "")}`;
    const beside = { host, port: Number(port), authorization };
    await loads(beside, path, milliseconds, (figure) => theirs.push(told("beside", figure)));
  }
  await server.stop();
  figures.small = ours;
  if (theirs.length > 0) figures.beside = theirs;
}
if (wanted.includes("middle")) {
  const server = await startServer({ nodeCount: 500, instanceCount: 10_000 });
  /** @type {Record<string, unknown>[]} */
  const all = [];
  const tell = (/** @type {Record<string, unknown>} */ figure) =>
    void all.push(told("middle", figure));
  await loads(server, "/2/instances?bulk=1", milliseconds, tell);
  await server.stop();
  figures.middle = all;
}
if (wanted.includes("creations")) {
  const all = [];
  for (const nodeCount of [20, 1000]) {
    const size = { nodeCount, instanceCount: 0, hypervisor: "fake", cpuTotal: 640 };
    let before = 0;
    const server = await startServer(size);
    for (const count of [500, 500, 2000]) {
      all.push(told("creations", { nodeCount, before, ...(await create(server, count, before)) }));
      before += count;
    }
    await server.stop();
  }
  figures.creations = all;
}
if (wanted.includes("large")) figures.large = told("large", await large());
if (wanted.includes("passwords")) figures.passwords = told("passwords", passwords());

if (values.write) {
  const path = new URL("baseline.json", import.meta.url);
  const before = JSON.parse(readFileSync(path, "utf8"));
  const baseline = { ...before, ...thisMachine(), load: rounded(loadavg()[0]), ...figures };
  writeFileSync(path, `${JSON.stringify(baseline, null, 2)}\n`);
}

function wordsRead() {
  try {
    return parseArgs({
      options: {
        seconds: { ...text, default: "2" },
        only: { ...text, default: parts.join() },
        beside: text,
        "beside-user": text,
        write: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    return refuse(/** @type {Error} */ (error).message);
  }
}

/**
 * @param {string} why
 * @returns {never}
 */
function refuse(why) {
  console.error(`${why}\n--help says what there is`);
  process.exit(2);
}

/** Microseconds for a wrong password of a known name, and of an unknown one. */
function passwords() {
  const users = parseUsers("jack abc123 write\n", () => {});
  const shortest = (/** @type {string} */ name) =>
    Math.min(
      ...Array.from({ length: 9 }, () => {
        const start = performance.now();
        for (let i = 0; i < 2000; i++) users.verify(name, "abc124");
        return (performance.now() - start) / 2;
      }),
    );
  return { knownMicros: rounded(shortest("jack")), unknownMicros: rounded(shortest("jbck")) };
}
