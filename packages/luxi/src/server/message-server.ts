/** A server on a local socket: accepts connections within limits and gives each message to a responder. */
import { chmod, chown, lstat, unlink } from "node:fs/promises";
import { createConnection, createServer, type Server, type Socket } from "node:net";
import { type Responder, ServerConnection } from "./connection.js";
import type { ServerLimits } from "./limits.js";
import type { ListenOptions, MessageServer } from "./listening.js";

export function createMessageServer(responder: Responder, limits: ServerLimits): MessageServer {
  const served = new Map<Socket, ServerConnection>();
  const waiting = new Set<Socket>();
  let closing = false;
  let whenEmpty = () => {};

  const accept = (socket: Socket): void => {
    if (closing) {
      socket.destroy();
    } else if (served.size < limits.connectionsMax) {
      serve(socket);
    } else if (waiting.size < limits.waitingMax) {
      // Nothing is read from it yet.
      waiting.add(socket);
      socket.on("error", () => {});
      socket.once("close", () => waiting.delete(socket));
    } else {
      socket.destroy();
    }
  };

  const serve = (socket: Socket): void => {
    served.set(socket, new ServerConnection(socket, responder, limits));
    socket.once("close", () => {
      served.delete(socket);
      const [next] = waiting;
      if (next !== undefined && !closing) {
        waiting.delete(next);
        serve(next);
      }
      if (served.size === 0) whenEmpty();
    });
  };

  const listener = createServer({ allowHalfOpen: true }, accept);
  return {
    listen: (options) => listenOn(listener, options),
    connectionCount: () => served.size + waiting.size,
    close: async ({ graceMs = 10_000 } = {}) => {
      closing = true;
      const stopped = new Promise<void>((resolve) => {
        listener.close(() => resolve());
      });
      for (const socket of waiting) socket.destroy();
      const emptied = new Promise<void>((resolve) => {
        whenEmpty = resolve;
        if (served.size === 0) resolve();
      });
      const timer = setTimeout(() => {
        for (const connection of served.values()) connection.destroy();
      }, graceMs);
      for (const connection of served.values()) connection.finish();
      await Promise.all([stopped, emptied]);
      clearTimeout(timer);
    },
  };
}

async function listenOn(
  listener: Server,
  { path, mode = 0o600, group }: ListenOptions,
): Promise<void> {
  await clearSocketPath(path);
  await new Promise<void>((resolve, reject) => {
    listener.once("error", reject);
    // The socket is made within this call: at no time can others connect to it.
    const before = process.umask(0o177);
    try {
      listener.listen({ path }, () => {
        listener.off("error", reject);
        resolve();
      });
    } finally {
      process.umask(before);
    }
  });
  // Later errors are those of accepting a connection (no descriptors left): the next one is tried.
  listener.on("error", () => {});
  if (group !== undefined) await chown(path, process.geteuid?.() ?? 0, group);
  if (mode !== 0o600) await chmod(path, mode);
}

/** Longest path of a socket in bytes: `sun_path` of Linux without its final zero. */
const pathBytesMax = 107;

/**
 * Makes room for a socket at `path`: a socket file that a dead server left behind is removed.
 * @throws Error with a `code`: `ENAMETOOLONG`, `EADDRINUSE` if a server listens there, `EEXIST` if
 * the path is something else than a socket
 */
async function clearSocketPath(path: string): Promise<void> {
  const length = Buffer.byteLength(path);
  if (length > pathBytesMax) {
    throw pathError(
      "ENAMETOOLONG",
      `the path of the socket has ${length} bytes, at most ${pathBytesMax} are possible: ${path}`,
    );
  }
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (found === undefined) return;
  if (!found.isSocket()) throw pathError("EEXIST", `${path} exists and is not a socket`);
  if (await isListening(path)) throw pathError("EADDRINUSE", `a server listens on ${path}`);
  await unlink(path);
}

const isListening = (path: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const probe = createConnection({ path });
    probe.once("connect", () => {
      probe.destroy();
      resolve(true);
    });
    probe.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED" || error.code === "ENOENT") resolve(false);
      // A full backlog belongs to a server that is alive.
      else if (error.code === "EAGAIN") resolve(true);
      else reject(error);
    });
  });

function pathError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
