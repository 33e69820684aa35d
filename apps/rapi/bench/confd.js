// Benchmark: configuration queries through the server's listener. Needs Linux, and a build before it.
//
//   node bench/confd.js [--record COMMIT]
//
// | figure | meaning |
// |---|---|
// | paced | queries for the role of a node at a fixed rate, half of them from each of two addresses |
// | p50Ms, p99Ms | time from sending a query to its answer, by the client's clock |
// | lost | queries without an answer |
// | serverMicros | processor time of the server for a query |
// | damaged | 100 000 datagrams with errors of all kinds: dropped, and memory (MiB) of the server before, after 100 000, and after 200 000 |
//
// The server is a process of its own, with 1 000 simulated nodes.
import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { confdTypes, readConfdKey, writeConfdQuery } from "@ganeti-ts/confd";
import { helpIfAsked, recordIfAsked } from "../../../tooling/bench.js";

helpIfAsked(new URL(import.meta.url));

const seconds = 4;
const damagedCount = 100_000;
const addresses = ["127.0.0.1", "127.0.0.2"];
/** @param {number} value */
const rounded = (value) => Number(value.toPrecision(3));

const folder = mkdtempSync(join(tmpdir(), "bench-confd-"));
const program = fileURLToPath(new URL("../dist/ganeti-rapi.js", import.meta.url));
const server = spawn(
  process.execPath,
  [
    ...[program, `--data-dir=${folder}`, "-p", "0", "--init=bench.example.com", "--nodes=1000"],
    ...["--confd", "--confd-port=0", "--watcher=off"],
  ],
  { stdio: "ignore" },
);

/** @returns {Promise<any>} the server's answer on its local socket */
const ask = (/** @type {string} */ path) =>
  new Promise((resolve, reject) => {
    request({ socketPath: join(folder, "rapi.sock"), path }, (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve(text));
    })
      .on("error", reject)
      .end();
  });

/** Processor time of the server in ms. */
const cpuMs = () => {
  const fields = readFileSync(`/proc/${server.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return 10 * (Number(fields[11]) + Number(fields[12]));
};

const rssMib = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))?.[1]) / 1024;

const openSockets = () =>
  Promise.all(
    addresses.map(
      (address) =>
        /** @type {Promise<import("node:dgram").Socket>} */ (
          new Promise((resolve) => {
            const socket = createSocket("udp4");
            socket.bind({ address }, () => resolve(socket));
          })
        ),
    ),
  );

/**
 * Calls `send` at this rate, evenly distributed over intervals of 2 ms.
 * @param {number} perSecond
 * @param {number} count
 * @param {(at: number) => void} send
 */
async function paced(perSecond, count, send) {
  const start = performance.now();
  for (let sent = 0; sent < count; ) {
    const due = Math.min(count, Math.floor(((performance.now() - start) * perSecond) / 1000));
    while (sent < due) send(sent++);
    await pause(1);
  }
}

/**
 * @param {number} port
 * @param {Uint8Array} key
 * @param {number} perSecond
 */
async function queries(port, key, perSecond) {
  const sockets = await openSockets();
  /** @type {Map<string, number>} */
  const sentAt = new Map();
  /** @type {number[]} */
  const latencies = [];
  for (const socket of sockets) {
    socket.on("message", (datagram) => {
      const rsalt = /"salt":"(\w+)"/.exec(datagram.toString("latin1"))?.[1] ?? "";
      const start = sentAt.get(rsalt);
      if (start === undefined) return;
      sentAt.delete(rsalt);
      latencies.push(performance.now() - start);
    });
  }
  const count = perSecond * seconds;
  const type = confdTypes.nodeRole;
  const nowSeconds = Date.now() / 1000;
  const datagrams = Array.from({ length: count }, (_, at) =>
    writeConfdQuery(
      { type, query: `node${(at % 1000) + 1}.example.com`, rsalt: `q${at}` },
      { key, nowSeconds },
    ),
  );
  const cpuBefore = cpuMs();
  await paced(perSecond, count, (at) => {
    sentAt.set(`q${at}`, performance.now());
    sockets[at % sockets.length]?.send(
      /** @type {Uint8Array} */ (datagrams[at]),
      port,
      "127.0.0.1",
    );
  });
  await pause(500);
  const serverMicros = ((cpuMs() - cpuBefore) * 1000) / count;
  for (const socket of sockets) socket.close();
  latencies.sort((a, b) => a - b);
  const quantile = (/** @type {number} */ q) =>
    rounded(latencies[Math.floor(latencies.length * q)] ?? Number.NaN);
  if (latencies.length < count / 2) throw new Error(`${latencies.length} of ${count} answered`);
  return {
    ...{ perSecond, p50Ms: quantile(0.5), p99Ms: quantile(0.99) },
    ...{ lost: count - latencies.length, serverMicros: rounded(serverMicros) },
  };
}

/** Datagrams that a server must drop, of every kind of error. */
function damagedOnes(/** @type {Uint8Array} */ key) {
  const nowSeconds = Date.now() / 1000;
  const query = { type: confdTypes.nodeRole, query: "node1.example.com", rsalt: "r" };
  const good = Buffer.from(writeConfdQuery(query, { key, nowSeconds }));
  const flipped = Buffer.from(good);
  flipped[40] = (flipped[40] ?? 0) ^ 1;
  return [
    Buffer.from("nonsense"),
    Buffer.from("plj0{"),
    good.subarray(0, good.length >> 1),
    Buffer.alloc(9000, "plj0"),
    flipped,
    Buffer.from(writeConfdQuery(query, { key: Buffer.from("other"), nowSeconds })),
    Buffer.from(writeConfdQuery(query, { key, nowSeconds: nowSeconds - 1000 })),
  ];
}

/**
 * @param {number} port
 * @param {Uint8Array} key
 */
async function damaged(port, key) {
  const sockets = await openSockets();
  const kinds = damagedOnes(key);
  const shower = async (/** @type {number} */ count) =>
    paced(9000, count, (at) => {
      sockets[at % sockets.length]?.send(
        /** @type {Buffer} */ (kinds[(at >> 1) % kinds.length]),
        ...[port, "127.0.0.1"],
      );
    });
  // Warm-up: code is compiled, and buffers reach their sizes.
  await shower(damagedCount / 5);
  await pause(500);
  const rss = [rssMib()];
  for (let round = 0; round < 2; round++) {
    await shower(damagedCount);
    await pause(500);
    rss.push(rssMib());
  }
  for (const socket of sockets) socket.close();
  const lines = String(await ask("/metrics")).matchAll(/confd_datagrams\{outcome="(.*?)"\} (\d+)/g);
  const dropped = Object.fromEntries(
    Array.from(lines, ([, outcome = "", count]) => [outcome, Number(count)]).filter(([outcome]) =>
      String(outcome).startsWith("dropped"),
    ),
  );
  return {
    count: damagedCount,
    rssMib: rss.map(rounded),

    dropped,
  };
}

try {
  for (let left = 600; left > 0 && !existsSync(join(folder, "rapi.pid")); left--) await pause(100);
  const { port } = JSON.parse(await ask("/ganeti-ts/1/confd")).listening;
  const key = await readConfdKey(join(folder, "hmac.key"));
  await queries(port, key, 2000);
  const figures = {
    paced: [await queries(port, key, 3000), await queries(port, key, 8000)],
    damaged: await damaged(port, key),
  };
  // The server must still answer.
  await queries(port, key, 1000);
  console.log(JSON.stringify(figures, null, 2));
  recordIfAsked("bench/confd-baseline.json", figures);
} finally {
  server.kill();
  await new Promise((resolve) => server.once("exit", resolve));
  rmSync(folder, { recursive: true });
}
