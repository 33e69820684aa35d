// Benchmark: cost of lists, queries, tags and start-up by the number of instances. Needs a build before it.
//
//   node bench/scale.js [--sizes=20,200,2000,20000,100000] [--store=sqlite,postgres] [--rounds=5] [--repeats=10] [--record COMMIT]
//
// Simulated nodes with ten instances each answer at once. Figures but `…Bytes`, `…Mib` and those named elapsed are
// processor time of the server in milliseconds, of all its threads; the smallest of a few rounds.
//
// | figure | meaning |
// |---|---|
// | readyMs, readyCpu | from the start of the process until it answers (elapsed); processor time until then |
// | readyMib, listedMib | resident memory when it answers, and after all lists |
// | firstRowMs | elapsed from a request for the whole list, the first one of all, until the first row has come |
// | firstList | that list, as far as rendering in the background has left it |
// | changedRowMs, changedRowCpu | the whole list after the tag of one instance has changed: elapsed, and processor time, until the first row |
// | changedList | processor time of all of it |
// | sentAgain | the same bytes once more: what writing them to the socket takes |
// | changedTls, againTls | both over TLS 1.3 |
// | byNode, byTag, byName | 100 rows of 4 fields, of the configuration, of all instances: on ten nodes, with a tag, by their names |
// | byNodeLive | those on ten nodes with their status |
// | page, pageLive | a page of 100 rows from the middle of all names; with values that nodes are asked for |
// | byPattern | a regular expression on the names, for which there is no index |
// | oneTag | a tag of an instance, until its job has ended |
// | oneTagFollowed | the same while 100 clients follow the events |
// | listBytes | length of the list |
//
// `growth` is the power of the number of instances with which a figure grows, between neighbouring sizes. A list without TLS
// is one over the local socket. What rendering takes of `changedList` is `changedList` less `sentAgain`.
import { existsSync, readFileSync } from "node:fs";
import { get, request } from "node:http";
import { loadavg } from "node:os";
import { startPostgres } from "@ganeti-ts/testkit/postgres";
import { helpIfAsked, recordIfAsked } from "../../../tooling/bench.js";
import { ended } from "./jobs.js";
import { rounded, startServer } from "./measured.js";

/** @typedef {import("./measured.js").Server} Server */
/** @typedef {Record<string, number>} Figures */

helpIfAsked(new URL(import.meta.url));

/** @param {string} name @param {string} usual */
const words = (name, usual) =>
  (
    process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) ?? usual
  ).split(",");

const sizes = words("sizes", "20,200,2000,20000,100000").map(Number);
const list = "/2/instances?bulk=1";
const rounds = Number(words("rounds", "5")[0]);
/** Number of repetitions of short operations in each round. */
const repeats = Number(words("repeats", "10")[0]);

/**
 * A request by the local socket; bytes are counted, and given where that is asked for.
 * @param {Server} server @param {string} method @param {string} path @param {string} [body] @param {boolean} [isKept]
 * @returns {Promise<{ bytes: number, rowMs: number, text: string }>}
 */
const ask = ({ socketPath }, method, path, body = "", isKept = false) =>
  new Promise((resolve, reject) => {
    const start = performance.now();
    const headers =
      body === "" ? {} : { "content-type": "application/json", "content-length": body.length };
    const asked = request({ socketPath, method, path, headers, agent: false }, (response) => {
      let bytes = 0;
      let rowMs = 0;
      /** @type {Buffer[]} */
      const kept = [];
      response.on("data", (chunk) => {
        bytes += chunk.length;
        if (rowMs === 0 && bytes > 100) rowMs = performance.now() - start;
        if (isKept) kept.push(chunk);
      });
      response.on("error", reject);
      response.on("end", () => {
        if (response.statusCode !== 200) reject(new Error(`${path}: ${response.statusCode}`));
        else resolve({ bytes, rowMs, text: Buffer.concat(kept).toString() });
      });
    });
    asked.on("error", reject);
    asked.end(body);
  });

/** @param {Server} server @param {number} instance @param {string} tag */
async function setTag(server, instance, tag) {
  const path = `/2/instances/instance${instance}.example.com/tags?tag=${tag}`;
  const id = Number((await ask(server, "PUT", path, "", true)).text);
  await ended(async (method, where, body) => {
    const { text } = await ask(server, method, where, body, true);
    return Buffer.from(text);
  }, id);
}

/**
 * The smallest processor time of some rounds, for one of `count` repetitions in each.
 * @param {Server} server @param {(round: number) => Promise<unknown>} work
 */
async function cheapest(server, work, count = 1) {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const before = await server.usage();
    for (let at = 0; at < count; at++) await work(round * count + at);
    least = Math.min(least, ((await server.usage()).cpuMs - before.cpuMs) / count);
  }
  return rounded(least);
}

/** Waits until the work after the start is done. @param {Server} server */
async function quiet(server) {
  for (let before = -1; ; ) {
    const { cpuMs } = await server.usage();
    if (cpuMs - before < 5) return;
    before = cpuMs;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** @param {Server} server @param {number} instanceCount */
async function checkList(server, instanceCount) {
  const rows = JSON.parse((await ask(server, "GET", list, "", true)).text);
  if (rows.length !== instanceCount) throw new Error(`${rows.length} instances are listed`);
  if (rows.some((/** @type {{ status: string }} */ { status }) => status !== "running")) {
    throw new Error("not all are running");
  }
}

/** @param {Server} server @param {Figures} figures */
async function lists(server, figures) {
  let tag = 0;
  const changed = () => setTag(server, ((tag * 7919) % figures.instances) + 1, `change${tag++}`);
  let rowCpuMs = Number.POSITIVE_INFINITY;
  /** @param {() => Promise<unknown>} listed */
  const afterChange = async (listed) => {
    let least = Number.POSITIVE_INFINITY;
    rowCpuMs = Number.POSITIVE_INFINITY;
    for (let round = 0; round < rounds; round++) {
      await changed();
      const before = await server.usage();
      await listed();
      const after = await server.usage();
      least = Math.min(least, after.cpuMs - before.cpuMs);
      rowCpuMs = Math.min(rowCpuMs, after.rowCpuMs);
    }
    return rounded(least);
  };
  let rowMs = Number.POSITIVE_INFINITY;
  figures.changedList = await afterChange(async () => {
    const listed = await ask(server, "GET", list);
    rowMs = Math.min(rowMs, listed.rowMs);
    figures.listBytes = listed.bytes;
  });
  figures.changedRowMs = rounded(rowMs);
  figures.changedRowCpu = rounded(rowCpuMs);
  figures.sentAgain = await cheapest(server, () => ask(server, "GET", list));
  const { ask: askTls, close } = await server.connect();
  figures.changedTls = await afterChange(() => askTls("GET", list));
  figures.againTls = await cheapest(server, () => askTls("GET", list));
  close();
}

/** @param {Server} server @param {Figures} figures @param {number} nodeCount */
async function queries(server, figures, nodeCount) {
  const wanted = Math.min(100, figures.instances);
  const names = Array.from(
    { length: wanted },
    (_, at) => at * Math.floor(figures.instances / wanted) + 1,
  );
  for (const name of names.slice(0, 100)) await setTag(server, name, "hundred");
  const onNodes = Array.from({ length: Math.min(10, nodeCount) }, (_, at) => [
    ...[
      "==",
      "pnode",
      `node${at * Math.floor(nodeCount / Math.min(10, nodeCount)) + 1}.example.com`,
    ],
  ]);
  const fixed = ["name", "pnode", "os", "tags"];
  /** @param {string[]} fields @param {unknown} qfilter @param {number} most */
  const asking = async (fields, qfilter, most) => {
    const body = JSON.stringify({ fields, qfilter });
    const { text } = await ask(server, "PUT", "/2/query/instance", body, true);
    const rows = JSON.parse(text).data.length;
    if (rows !== most) throw new Error(`${rows} rows instead of ${most}`);
    return cheapest(server, () => ask(server, "PUT", "/2/query/instance", body), repeats);
  };
  const perNodes = Math.min(100, figures.instances);
  figures.byNode = await asking(fixed, ["|", ...onNodes], perNodes);
  figures.byNodeLive = await asking([...fixed, "status"], ["|", ...onNodes], perNodes);
  figures.byTag = await asking(fixed, ["=[]", "tags", "hundred"], wanted);
  const named = names.map((name) => ["==", "name", `instance${name}.example.com`]);
  figures.byName = await asking(fixed, ["|", ...named], wanted);
  const pattern = ["=~", "name", "^instance1[0-9][0-9]\\."];
  const after = `instance${figures.instances >> 1}.example.com 0`;
  /** @param {string[]} fields */
  const page = (fields) => {
    const body = JSON.stringify({ fields, limit: 100, after });
    return cheapest(server, () => ask(server, "PUT", "/ganeti-ts/1/query/instance", body), repeats);
  };
  figures.page = await page(fixed);
  figures.pageLive = await page([...fixed, "status"]);
  figures.byPattern = await asking(fixed, pattern, figures.instances >= 200 ? 100 : 0);
}

/** @param {Server} server @param {Figures} figures */
async function tags(server, figures) {
  const one = (/** @type {number} */ at) =>
    setTag(server, ((at * 31) % figures.instances) + 1, `one${at}`);
  figures.oneTag = await cheapest(server, one, repeats);
  const { socketPath } = server;
  let events = 0;
  const followers = await Promise.all(
    Array.from(
      { length: 100 },
      () =>
        /** @type {Promise<import("node:http").IncomingMessage>} */ (
          new Promise((resolve, reject) => {
            get({ socketPath, path: "/ganeti-ts/1/events", agent: false }, (response) => {
              response.on("data", () => events++);
              resolve(response);
            }).on("error", reject);
          })
        ),
    ),
  );
  figures.oneTagFollowed = await cheapest(server, (at) => one(at + 1000), repeats);
  if (events < 100 * rounds * repeats) throw new Error(`${events} events came`);
  for (const follower of followers) follower.destroy();
}

/** @param {number} instances @param {string} [store] */
async function figuresOf(instances, store) {
  const nodeCount = Math.max(3, instances / 10);
  const server = await startServer({ nodeCount, instanceCount: instances }, store);
  const idle = await server.usage();
  const said = (/** @type {string} */ what) =>
    process.stderr.write(`${store ? "postgres" : "sqlite"} ${instances}: ${what}\n`);
  /** @type {Figures} */
  const figures = { instances };
  figures.readyMs = rounded(server.startMs);
  figures.readyCpu = rounded(idle.cpuMs);
  figures.readyMib = rounded(idle.rssMib);
  figures.firstRowMs = rounded((await ask(server, "GET", list)).rowMs);
  figures.firstList = rounded((await server.usage()).cpuMs - idle.cpuMs);
  said("ready");
  await quiet(server);
  await checkList(server, instances);
  await lists(server, figures);
  said("lists");
  await queries(server, figures, nodeCount);
  said("queries");
  await tags(server, figures);
  figures.listedMib = rounded((await server.usage()).rssMib);
  await server.stop();
  return figures;
}

/** @param {Figures} smaller @param {Figures} larger */
const exponents = (smaller, larger) =>
  Object.fromEntries(
    Object.keys(larger)
      .filter((name) => name !== "instances")
      .map((name) => [
        name,
        rounded(
          Math.log((larger[name] ?? 1) / (smaller[name] ?? 1)) /
            Math.log((larger.instances ?? 1) / (smaller.instances ?? 1)),
        ),
      ]),
  );

/** @type {Record<string, unknown>} */
const results = {};
for (const kind of words("store", "sqlite")) {
  /** @type {Figures[]} */
  const measured = [];
  for (const size of sizes) {
    const database = kind === "postgres" ? await startPostgres({ durable: true }) : undefined;
    try {
      const figures = await figuresOf(size, database?.url);
      measured.push(figures);
      console.log(kind, JSON.stringify(figures));
    } finally {
      await database?.stop();
    }
  }
  const growth = Object.fromEntries(
    measured.slice(1).map((larger, at) => {
      const smaller = /** @type {Figures} */ (measured[at]);
      return [`${smaller.instances} to ${larger.instances}`, exponents(smaller, larger)];
    }),
  );
  results[kind] = { load: rounded(loadavg()[0]), results: measured, growth };
}
console.log(JSON.stringify(results));
const baseline = new URL("scale-baseline.json", import.meta.url);
// Recorded figures of a store that was not measured stay unchanged.
const recorded = existsSync(baseline) ? JSON.parse(readFileSync(baseline, "utf8")).stores : {};
recordIfAsked(baseline, { stores: { ...recorded, ...results } });
