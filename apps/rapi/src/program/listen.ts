/** Sockets: HTTPS or HTTP on a port, and one in the file system for the owner of the cluster. */
import { chmodSync } from "node:fs";
import { unlink } from "node:fs/promises";
import { createServer as createHttpServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import type { Env } from "../server.js";
import type { KeyPair } from "./certificate.js";
import { StartError } from "./start-error.js";

/** Limits on clients; times in ms. */
export interface Limits {
  readonly handshakeMs: number;
  readonly headersMs: number;
  /** Timeout of headers and body. */
  readonly requestMs: number;
  /** Idle time between requests. */
  readonly idleMs: number;
  /** Time without a byte in either direction during an answer. */
  readonly silenceMs: number;
  /** Interval of the check for slow connections (ms). */
  readonly checkEveryMs: number;
  readonly connectionsMax: number;
}

const usualLimits: Limits = {
  handshakeMs: 20_000,
  headersMs: 20_000,
  requestMs: 60_000,
  idleMs: 75_000,
  silenceMs: 120_000,
  checkEveryMs: 5_000,
  connectionsMax: 2000,
};

const headerBytesMax = 32 * 1024;

/** Interval (ms) of the check for idle connections during a stop. */
const idleLookMs = 20;

export interface Listening {
  readonly port: number;
  /** Uses this certificate for new connections. Without TLS it has no effect. */
  use(keys: KeyPair): void;
  /**
   * Accepts nothing new, and resolves when all pending requests are answered, or after `graceMs`.
   */
  close(graceMs: number): Promise<void>;
}

type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface PortChoices {
  /** Handles connections that ask for another protocol. By default they are answered like other requests. */
  readonly upgrade?: Upgrade;
  readonly limits?: Limits;
}

/** Removes the silence timeout of connections with another protocol. */
function withUpgrade(server: Server, upgrade: Upgrade | undefined): Server {
  if (upgrade === undefined) return server;
  return server.on("upgrade", (request, socket: Socket, head) => {
    socket.setTimeout(0);
    upgrade(request, socket, head);
  });
}

/** Time (ms) that a client has for ending its side of a refused CONNECT. */
const lingerMs = 1_000;

/**
 * Refuses CONNECT, which asks for a proxy. Without a listener Node.js would close the connection without an answer; with one, it
 * applies none of the server's limits to the connection any more.
 */
const refusingProxies = (server: Server): Server =>
  server.on("connect", (_request, socket: Socket) => {
    socket.on("error", () => socket.destroy());
    // Read and drop further bytes, because unread ones would end the connection before the client has the answer.
    socket.resume();
    socket.end("HTTP/1.1 501 Not Implemented\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once("close", () => clearTimeout(timer));
  });

/** Listens on a TCP port; with HTTP if no key is given. @throws StartError */
export function listenOnPort(
  app: Hono<Env>,
  address: string,
  port: number,
  keys: KeyPair | undefined,
  { upgrade, limits = usualLimits }: PortChoices = {},
): Promise<Listening> {
  const answer = listenerOf(app, {});
  const options = serverOptions(limits);
  const where = { port, host: address };
  if (keys === undefined) {
    return listening(withUpgrade(createHttpServer(options, answer), upgrade), where, limits);
  }
  const { handshakeMs: handshakeTimeout } = limits;
  const server = createHttpsServer({ ...options, ...tls(keys), handshakeTimeout }, answer);
  return listening(withUpgrade(server, upgrade), where, limits, (newer) =>
    server.setSecureContext(tls(newer)),
  );
}

/**
 * Listens on a socket in the file system, for its owner only. A socket without a listener is replaced. @throws
 * StartError if another server listens
 */
export async function listenOnSocket(app: Hono<Env>, path: string): Promise<Listening> {
  if (await answers(path)) throw new StartError(`another server listens on ${path}`);
  await removed(path);
  const answer = listenerOf(app, { local: true });
  const server = createHttpServer(serverOptions(usualLimits), answer);
  // No other user may connect before the mode is set.
  const before = process.umask(0o177);
  try {
    const done = await listening(server, { path }, usualLimits);
    chmodSync(path, 0o600);
    return done;
  } finally {
    process.umask(before);
  }
}

/** Cipher suites of TLS 1.2 and 1.3 with forward secrecy and authenticated encryption, none with CBC. */
const ciphers = [
  ...["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"],
  ...["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256"],
  ...["ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-RSA-AES256-GCM-SHA384"],
  ...["ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-RSA-CHACHA20-POLY1305"],
].join(":");

const tls = (keys: KeyPair) => ({ ...keys, ciphers, minVersion: "TLSv1.2" }) as const;

const serverOptions = ({ headersMs, requestMs, idleMs, checkEveryMs }: Limits) => ({
  headersTimeout: headersMs,
  requestTimeout: requestMs,
  keepAliveTimeout: idleMs,
  connectionsCheckingInterval: checkEveryMs,
  maxHeaderSize: headerBytesMax,
});

/**
 * Uses the adapter's own `Request` and `Response` instead of the global ones, whose construction takes longer
 * than the rest of a small answer. HTTP/1.0 clients need not send a host.
 */
const listenerOf = (app: Hono<Env>, about: Partial<Env["Bindings"]>) =>
  getRequestListener(
    (request, env) => app.fetch(request, { ...(env as Env["Bindings"]), ...about }),
    { hostname: "localhost" },
  );

/**
 * Removes a socket without `rm`, whose stat of a socket makes the next import() of Node 20 ignore symbolic links, through
 * which packages are found.
 */
async function removed(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

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
  { connectionsMax, silenceMs }: Limits,
  use: Listening["use"] = () => {},
): Promise<Listening> {
  refusingProxies(server);
  server.maxConnections = connectionsMax;
  server.setTimeout(silenceMs);
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => {
      const place = "path" in where ? where.path : `${where.host} port ${where.port}`;
      reject(new StartError(`cannot listen on ${place}: ${error.message}`, { cause: error }));
    });
    server.listen(where, () => {
      server.removeAllListeners("error");
      resolve();
    });
  });
  const address = server.address();
  return {
    use,
    port: typeof address === "object" && address !== null ? address.port : 0,
    async close(graceMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // Connections become idle when their requests have been answered.
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
