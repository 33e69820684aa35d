// Clients of the benchmark: on persistent connections, and with a new one for each request. Both
// measure the time of every request.
import { execFile } from "node:child_process";
import { connect } from "node:tls";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/**
 * A kind of load.
 * @typedef {object} Load
 * @property {string} host
 * @property {number} port
 * @property {string} [authorization]
 * @property {string} path
 * @property {"TLSv1.2" | "TLSv1.3"} version
 * @property {number} connections
 * @property {number} milliseconds
 */

/**
 * Milliseconds of each request, and processor time of the clients in all.
 * @typedef {{ times: number[], cpuMs: number }} Loaded
 */

/**
 * Each connection sends its next request as soon as it has the answer.
 * @param {Load} load
 * @returns {Promise<Loaded>}
 */
export async function keepAlive(load) {
  const before = process.cpuUsage();
  const end = performance.now() + load.milliseconds;
  /** @type {number[]} */
  const times = [];
  const work = async () => {
    const { ask, close } = await connected(load);
    while (performance.now() < end) {
      const start = performance.now();
      if ((await ask("GET", load.path)).length === 0) throw new Error(`no answer to ${load.path}`);
      times.push(performance.now() - start);
    }
    close();
  };
  await Promise.all(Array.from({ length: load.connections }, work));
  const { user, system } = process.cpuUsage(before);
  return { times, cpuMs: (user + system) / 1000 };
}

/**
 * Runs in a process of its own; undefined without Python.
 * @param {Load} load
 * @returns {Promise<Loaded | undefined>}
 */
export async function newConnections(load) {
  const program = fileURLToPath(new URL("fresh.py", import.meta.url));
  const { host, port, path, milliseconds, version, connections, authorization = [] } = load;
  const numbers = [milliseconds / 1000, version, connections].map(String);
  const args = [program, host, String(port), path, ...numbers].concat(authorization);
  try {
    const { stdout } = await promisify(execFile)("python3", args, { maxBuffer: 2 ** 26 });
    return /** @type {Loaded} */ (JSON.parse(stdout));
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * A connection with a function that sends a request and returns the bytes of the body.
 * @param {Pick<Load, "host" | "port" | "version" | "authorization">} to
 * @returns {Promise<{ ask: (method: string, path: string, body?: string) => Promise<Buffer>, close: () => void }>}
 */
export function connected({ host, port, version, authorization }) {
  return new Promise((resolve, reject) => {
    const versions = { minVersion: version, maxVersion: version };
    const socket = connect({ port, host, ...versions, rejectUnauthorized: false }, () =>
      resolve({ ask, close: () => void socket.end() }),
    );
    /** @type {Buffer[]} */
    let chunks = [];
    let missing = -1;
    /** @type {((bytes: Buffer) => Buffer[] | undefined) | undefined} */
    let inChunks;
    /** @type {(body: Buffer) => void} */
    let done = () => {};
    let failed = reject;
    socket.on("error", (error) => failed(error));
    socket.on("data", (chunk) => {
      let body = chunk;
      if (missing < 0 && inChunks === undefined) {
        const head = chunk.indexOf("\r\n\r\n");
        const text = chunk.latin1Slice(0, head);
        if (!text.startsWith("HTTP/1.1 200")) return failed(new Error(chunk.toString()));
        if (/transfer-encoding: chunked/i.test(text)) inChunks = chunkReader();
        else missing = Number(/content-length: (\d+)/i.exec(text)?.[1]);
        body = chunk.subarray(head + 4);
      }
      if (inChunks !== undefined) {
        const parts = inChunks(body);
        if (parts === undefined) return;
        inChunks = undefined;
        done(Buffer.concat(parts));
        return;
      }
      chunks.push(body);
      missing -= body.length;
      if (missing > 0) return;
      const whole = chunks.length === 1 ? body : Buffer.concat(chunks);
      chunks = [];
      missing = -1;
      done(whole);
    });
    const credentials = authorization === undefined ? "" : `Authorization: ${authorization}\r\n`;
    const ask = (/** @type {string} */ method, /** @type {string} */ path, body = "") =>
      /** @type {Promise<Buffer>} */ (
        new Promise((settle, refuse) => {
          done = settle;
          failed = refuse;
          const about =
            body === ""
              ? ""
              : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
          socket.write(
            `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${credentials}${about}\r\n${body}`,
          );
        })
      );
  });
}

/**
 * Reads a chunked body: returns its parts once it is complete.
 * @returns {(bytes: Buffer) => Buffer[] | undefined}
 */
function chunkReader() {
  /** @type {Buffer[]} */
  const parts = [];
  /** Missing bytes of the chunk, including its line end. */
  let missing = 0;
  let line = "";
  return (bytes) => {
    for (let at = 0; at < bytes.length; ) {
      if (missing > 0) {
        const end = Math.min(bytes.length, at + missing);
        // The last two bytes of a chunk are the end of its line.
        const data = bytes.subarray(at, Math.min(end, at + Math.max(0, missing - 2)));
        if (data.length > 0) parts.push(data);
        missing -= end - at;
        at = end;
        continue;
      }
      const end = bytes.indexOf("\n", at);
      line += bytes.latin1Slice(at, end < 0 ? bytes.length : end);
      if (end < 0) return undefined;
      at = end + 1;
      if (line === "\r") return parts;
      const length = Number.parseInt(line, 16);
      // After the last chunk there is an empty line.
      missing = length === 0 ? 0 : length + 2;
      line = "";
    }
    return undefined;
  };
}
