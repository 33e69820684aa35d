/** Ports of the operating system: files, standard streams, HTTP. */
import { readFileSync, readSync, writeFileSync, writeSync } from "node:fs";
import type { Ports } from "./ports.js";

export const systemPorts: Ports = {
  readFile: (path) => readFileSync(path),
  readStdin,
  writeFile: (path, text) => writeFileSync(path, text),
  stdout: (text) => writeAll(1, text),
  stderr: tell,
  terminal: async (stream) => (await import("./terminal.js")).terminalAt(stream),
  now: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  httpGet: async (url) => (await import("./http-get.js")).httpGet(url),
  findLuxiSocket: async (dataDir) =>
    (await import("./luxi/find-socket.js")).findLuxiSocket(dataDir, process.env),
  connectLuxi: async (path) => (await import("./luxi/connection.js")).connectLuxi(path),
  nowMicros: () => Date.now() * 1000,
  onSignal: (signal, handle) => {
    process.on(signal, handle);
    return () => process.off(signal, handle);
  },
  freshId: () => crypto.randomUUID(),
};

/** Reads standard input; it may be a pipe that has no data yet. */
function readStdin(): Uint8Array {
  const chunks: Buffer[] = [];
  for (;;) {
    const chunk = Buffer.allocUnsafe(1 << 16);
    const length = whenReady(() => readSync(0, chunk));
    if (length === 0) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, length));
  }
}

/** A closed stderr must not prevent the answer on stdout. */
function tell(text: string): void {
  try {
    writeAll(2, text);
  } catch {
    // stderr is closed, so there is no place to report this
  }
}

/** Unlike `process.stdout`, this needs no set-up and has written everything when it returns. */
function writeAll(descriptor: number, text: string): void {
  for (let rest = Buffer.from(text); rest.length > 0; ) {
    rest = rest.subarray(whenReady(() => writeSync(descriptor, rest)));
  }
}

/** Retries after a short pause when a non-blocking pipe is full or empty. */
function whenReady(action: () => number): number {
  for (;;) {
    try {
      return action();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}
