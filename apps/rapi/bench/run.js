// Requests per second and their 99th percentile, over TLS 1.2 and 1.3, with one connection for all requests
// and with one for each (openssl s_time); and how long a wrong password takes. Needs a build before it.
//
//   node bench/run.js [--seconds=2] [--write]     --write keeps the figures in bench/baseline.json
import { execFile, fork } from "node:child_process";
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { connect } from "node:tls";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { parseUsers } from "../dist/auth/users.js";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "2" },
    write: { type: "boolean", default: false },
  },
});
const milliseconds = Number(values.seconds) * 1000;

const paths = ["/2/info", "/2/instances?bulk=1", "/2/jobs?bulk=1"];
const versions = /** @type {const} */ (["TLSv1.2", "TLSv1.3"]);

/** A server of its own, with 6 instances and 200 jobs. */
const server = fork(fileURLToPath(new URL("server.js", import.meta.url)));
const port = await new Promise((resolve) => server.once("message", resolve));

/** @type {Record<string, unknown>[]} */
const figures = [];
for (const version of versions) {
  for (const path of paths) {
    figures.push(await newConnections(version, path));
    console.log(JSON.stringify(figures.at(-1)));
    for (const connections of [1, 4]) {
      const manner = "keep-alive";
      const times = await load({ version, path, connections });
      const sorted = times.toSorted((a, b) => a - b);
      const figure = {
        ...{ path, version, manner, connections },
        perSecond: Math.round((times.length * 1000) / milliseconds),
        p50Ms: round(sorted[Math.floor(sorted.length * 0.5)]),
        p99Ms: round(sorted[Math.floor(sorted.length * 0.99)]),
      };
      figures.push(figure);
      console.log(JSON.stringify(figure));
    }
  }
}
server.kill();
figures.push(passwordFigures());
console.log(JSON.stringify(figures.at(-1)));

if (values.write) {
  const machine = `${cpus()[0]?.model}, ${cpus().length} cores, under a load of 30 from others`;
  const baseline = { machine, node: process.version, instances: 6, jobs: 200, figures };
  writeFileSync(
    new URL("baseline.json", import.meta.url),
    `${JSON.stringify(baseline, null, 2)}\n`,
  );
}

/** Microseconds for a wrong password of a known name, and of an unknown one. */
function passwordFigures() {
  const users = parseUsers("jack abc123 write\n", () => {});
  const shortest = (/** @type {string} */ name) =>
    Math.min(
      ...Array.from({ length: 9 }, () => {
        const start = performance.now();
        for (let i = 0; i < 2000; i++) users.verify(name, "abc124");
        return (performance.now() - start) / 2;
      }),
    );
  return {
    wrongPasswordMicros: { known: round(shortest("jack")), unknown: round(shortest("jbck")) },
  };
}

/**
 * One connection after the other, each for one request, by OpenSSL's own client: that of Node takes more
 * time for a handshake than the server does.
 * @param {"TLSv1.2" | "TLSv1.3"} version
 * @param {string} path
 */
async function newConnections(version, path) {
  const start = performance.now();
  const { stdout } = await promisify(execFile)("openssl", [
    ...["s_time", "-connect", `127.0.0.1:${port}`, "-new", "-www", path],
    ...[version === "TLSv1.2" ? "-tls1_2" : "-tls1_3"],
    ...["-time", String(Math.ceil(milliseconds / 1000))],
  ]);
  // Its own seconds are whole ones.
  const seconds = (performance.now() - start) / 1000;
  const [, count = 0] = /(\d+) connections in/.exec(stdout) ?? [];
  const perSecond = Math.round(Number(count) / seconds);
  return { path, version, manner: "new connection", connections: 1, perSecond };
}

/**
 * Milliseconds that each request took.
 * @param {{ version: "TLSv1.2" | "TLSv1.3", path: string, connections: number }} how
 */
async function load({ version, path, connections }) {
  /** @type {number[]} */
  const times = [];
  const end = performance.now() + milliseconds;
  const work = async () => {
    const { ask, close } = await connected(version);
    while (performance.now() < end) {
      const start = performance.now();
      if ((await ask(path)) === 0) throw new Error(`no answer to ${path}`);
      times.push(performance.now() - start);
    }
    close();
  };
  await Promise.all(Array.from({ length: connections }, work));
  return times;
}

/**
 * A connection, and how to ask on it: gives the length of the body.
 * @param {"TLSv1.2" | "TLSv1.3"} version
 * @returns {Promise<{ ask: (path: string) => Promise<number>, close: () => void }>}
 */
function connected(version) {
  return new Promise((resolve, reject) => {
    const options = { minVersion: version, maxVersion: version, rejectUnauthorized: false };
    const socket = connect({ port, host: "127.0.0.1", ...options }, () =>
      resolve({ ask, close: () => void socket.end() }),
    );
    let received = 0;
    let total = -1;
    let length = 0;
    /** @type {(length: number) => void} */
    let done = () => {};
    socket.on("error", reject);
    socket.on("data", (chunk) => {
      if (total < 0) {
        const head = chunk.indexOf("\r\n\r\n");
        const text = chunk.subarray(0, head).toString("latin1");
        if (!text.startsWith("HTTP/1.1 200")) throw new Error(text);
        length = Number(/content-length: (\d+)/i.exec(text)?.[1]);
        total = head + 4 + length;
      }
      received += chunk.length;
      if (received < total) return;
      received = 0;
      total = -1;
      done(length);
    });
    const ask = (/** @type {string} */ path) =>
      /** @type {Promise<number>} */ (
        new Promise((settle) => {
          done = settle;
          socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
        })
      );
  });
}

function round(/** @type {number | undefined} */ value = 0) {
  return Math.round(value * 1000) / 1000;
}
