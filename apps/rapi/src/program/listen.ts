/** The sockets: HTTPS or HTTP for everybody, and one in the file system for the owner of the cluster. */
import { chmodSync, rmSync } from "node:fs";
import { createServer as createHttpServer, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { connect, type Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import type { Env } from "../server.js";
import type { KeyPair } from "./certificate.js";

/** How long clients may take, in ms, and how much they may open. */
const limits = {
  headersTimeout: 20_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 32 * 1024,
};
const connectionsMax = 2000;
const handshakeTimeout = 20_000;
/** While it closes, in ms. */
const idleLookMs = 20;

export interface Listening {
  readonly port: number;
  /** Takes nothing new, and resolves when all that was begun is answered, or after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** On a TCP port; without a key it is HTTP. @throws Error, as the system says it */
export function listenOnPort(
  app: Hono<Env>,
  address: string,
  port: number,
  keys: KeyPair | undefined,
): Promise<Listening> {
  const answer = listenerOf(app, {});
  const server =
    keys === undefined
      ? createHttpServer(limits, answer)
      : createHttpsServer({ ...limits, ...keys, handshakeTimeout, minVersion: "TLSv1.2" }, answer);
  return listening(server, { port, host: address });
}

/**
 * In the file system, for its owner alone. A socket that nobody answers on is replaced.
 * @throws Error if somebody does
 */
export async function listenOnSocket(app: Hono<Env>, path: string): Promise<Listening> {
  if (await answers(path)) throw new Error(`another server listens on ${path}`);
  rmSync(path, { force: true });
  const answer = listenerOf(app, { local: true });
  const server = createHttpServer(limits, answer);
  // Nobody else may come before its rights are set.
  const before = process.umask(0o177);
  try {
    const done = await listening(server, { path });
    chmodSync(path, 0o600);
    return done;
  } finally {
    process.umask(before);
  }
}

/**
 * Puts the adapter's own `Request` and `Response` in place of the process's, which take longer to make
 * than all the rest of a small answer. Who speaks HTTP/1.0 need not name a host.
 */
const listenerOf = (app: Hono<Env>, about: Partial<Env["Bindings"]>) =>
  getRequestListener(
    (request, env) => app.fetch(request, { ...(env as Env["Bindings"]), ...about }),
    { hostname: "localhost" },
  );

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.on("connect", () => end(true)).on("error", () => end(false));
  });
}

async function listening(
  server: Server,
  where: { port: number; host: string } | { path: string },
): Promise<Listening> {
  server.maxConnections = connectionsMax;
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(where, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    async close(graceMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // Those that have been answered meanwhile are idle from then on.
      const idle = setInterval(() => server.closeIdleConnections(), idleLookMs);
      const timer = setTimeout(() => {
        server.closeAllConnections();
        for (const socket of sockets) socket.destroy();
      }, graceMs);
      await closed;
      clearInterval(idle);
      clearTimeout(timer);
    },
  };
}
