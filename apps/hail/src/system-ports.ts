/** Ports of the operating system: files, standard streams, HTTP. */
import type { Ports } from "./ports.js";
import { readFile, readStdin, stderr, stdout, writeFile } from "./system-files.js";

export const systemPorts: Ports = {
  readFile,
  readStdin,
  writeFile,
  stdout,
  stderr,
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
