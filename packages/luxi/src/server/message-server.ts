/** A server on a local socket: accepts connections within limits and gives each message to a responder. */
import { chmod, chown } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { type Responder, ServerConnection } from "./connection.js";
import type { ServerLimits } from "./limits.js";
import type { ListenOptions, MessageServer } from "./listening.js";
import { clearSocketPath } from "./socket-path.js";

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
