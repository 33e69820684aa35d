/** Connections to a master's local socket, with the timeouts and error texts of Ganeti's htools. */
import {
  connectLuxi as connect,
  type LuxiConnection,
  LuxiConnectionError,
} from "@ganeti-ts/luxi/calls";
import { FileError } from "../file-error.js";

const limits = { connectMs: 10_000, silenceMs: 60_000, bytesMax: 1 << 29 };

/** Throws a FileError. */
export async function connectLuxi(path: string): Promise<LuxiConnection> {
  const connection = await worded(() => connect(path, limits), path);
  return {
    exchange: (call) => worded(() => connection.exchange(call)),
    close: () => connection.close(),
  };
}

async function worded<T>(action: () => Promise<T>, path?: string): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof LuxiConnectionError)) throw error;
    const { code, cause = error } = error;
    const isAlone = path !== undefined && (code === "ENOENT" || code === "ECONNREFUSED");
    throw new FileError(code, text(error) + (isAlone ? advice(path) : ""), { cause });
  }
}

/** Advice for a path without a listening server; Ganeti's programs do not name the path at all. */
const advice = (path: string) =>
  `\nNobody listens on ${path}. Start the server, name another one's data directory with --data-dir` +
  " or GANETI_TS_DATA, or its socket with -L/PATH.";

// Ganeti's programs print the number of the socket, which is their first descriptor.
const socketName = "<socket: 3>";

function text({ code, step, message, cause }: LuxiConnectionError): string {
  const connecting = step === "connect";
  if (code === "ETIMEDOUT") {
    return `user error (Timeout in ${connecting ? "creating a connection" : "reading a response"})`;
  }
  if (connecting) {
    return `Network.Socket.connect: ${socketName}: ${connectFailures[code] ?? `failed (${(cause as Error).message})`}`;
  }
  if (code === "EMSGSIZE") return `${socketName}: ${message}`;
  const reason = code === "EPIPE" ? "Broken pipe" : "Connection reset by peer";
  return `${socketName}: hWaitForInput: ${code === "EOF" ? "end of file" : `resource vanished (${reason})`}`;
}

const connectFailures: Readonly<Record<string, string>> = {
  ENOENT: "does not exist (No such file or directory)",
  ECONNREFUSED: "does not exist (Connection refused)",
  ENOTDIR: "inappropriate type (Not a directory)",
  EACCES: "permission denied (Permission denied)",
  EPERM: "permission denied (Operation not permitted)",
  EAGAIN: "resource exhausted (Resource temporarily unavailable)",
};
