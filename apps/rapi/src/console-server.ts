/** WebSocket server of consoles: a token opens a connection, which carries the console's bytes. */
import type { IncomingMessage } from "node:http";
import { type Duplex, pipeline } from "node:stream";
import { createWebSocketStream, type WebSocket, WebSocketServer } from "ws";
import { authenticate, optionsOf } from "./auth/authenticate.js";
import type { User } from "./auth/users.js";
import { ConsoleError, consolePath } from "./console/consoles.js";
import type { Grant } from "./console/tokens.js";
import { letVncClientIn, logInToVnc } from "./console/vnc.js";
import { HttpFault } from "./http/fault.js";
import { remoteOf } from "./http/remote.js";
import { cookieIn, isOwnOrigin } from "./ui/session.js";
import type { World } from "./world.js";

/** Name of the first subprotocol; the second is the token, which thus appears in no URL and no log. */
const consoleProtocol = "ganeti-console";

/** Close codes of the server; the reason is a message for the user. */
const closeCodes = {
  ended: 1000,
  failed: 4000,
  wantsPassword: 4001,
  revoked: 4003,
} as const;

/** Maximum number of open consoles. */
const consolesMax = 100;

/** Maximum size of a client's message (bytes). */
const messageMax = 1 << 20;

/** Timeout (ms) of both VNC handshakes. */
const handshakeMs = 15_000;

/** Interval (ms) of the check of open consoles: whether the client answers, and its user still has the right. */
const checkMs = 20_000;

export interface ConsoleServer {
  /** Takes over a connection that asks for a WebSocket, or refuses and closes it. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  readonly count: number;
  close(): Promise<void>;
}

export function createConsoleServer(world: World): ConsoleServer {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: messageMax,
    perMessageDeflate: false,
    handleProtocols: () => consoleProtocol,
  });
  return {
    get count() {
      return server.clients.size;
    },
    upgrade(request, socket, head) {
      socket.on("error", () => socket.destroy());
      grantOf(world, request)
        .then((granted) => {
          if (server.clients.size >= consolesMax)
            throw new HttpFault(503, "Too many consoles are open");
          server.handleUpgrade(request, socket, head, (client) => {
            void carry(world, client, granted);
          });
        })
        .catch((error: unknown) => {
          const status = error instanceof HttpFault ? error.status : 500;
          if (!(error instanceof HttpFault)) world.log.error({ error }, "console request failed");
          socket.end(
            `HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
          );
        });
    },
    async close() {
      for (const client of server.clients) client.close(1001, "The server stops");
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

interface Granted {
  readonly grant: Grant;
  /** The user's line in the users file. */
  readonly line: string;
  /** The cookie of the page's session; absent for credentials. */
  readonly cookie: string | undefined;
}

/**
 * The grant of a request: a token of the same user, who may still write, from the server's own page.
 * @throws HttpFault 404 for another path, 400 without a token, 401 for one that is not valid, 403 from another site
 */
async function grantOf(world: World, request: IncomingMessage): Promise<Granted> {
  const { headers, url = "" } = request;
  if (url !== consolePath) throw new HttpFault(404);
  const [protocol, token, ...rest] = (headers["sec-websocket-protocol"] ?? "")
    .split(",")
    .map((one) => one.trim());
  if (protocol !== consoleProtocol || token === undefined || rest.length > 0) {
    throw new HttpFault(400);
  }
  const { user, cookie } = await userOf(world, request);
  const grant = world.consoleTokens.take(token);
  const line = world.users.entry(user.name)?.line;
  if (grant === undefined || grant.user !== user.name || line === undefined) {
    throw new HttpFault(401);
  }
  if (!optionsOf.write.some((option) => user.options.has(option))) throw new HttpFault(403);
  return { grant, line, cookie };
}

/** The user of the request; a session counts only on the server's own page. @throws HttpFault 401, 403, 429 */
async function userOf(
  { logins, sessions, settings }: World,
  { headers, socket }: IncomingMessage,
): Promise<{ user: User; cookie: string | undefined }> {
  const header = (name: string) => headers[name] as string | undefined;
  const authorization = header("authorization");
  const cookie = authorization === undefined ? cookieIn(header("cookie")) : undefined;
  if (cookie !== undefined) {
    if (!isOwnOrigin(header)) throw new HttpFault(403);
    return { user: await sessions.user(cookie), cookie };
  }
  const remote = remoteOf(socket.remoteAddress, header("x-forwarded-for"), settings.proxies);
  const verify = (name: string, password: string) => logins.verify(name, password, remote);
  const user = await authenticate(authorization, verify);
  if (user === undefined) throw new HttpFault(401);
  return { user, cookie };
}

async function carry(world: World, client: WebSocket, granted: Granted): Promise<void> {
  const { grant } = granted;
  const { instance, kind, user } = grant;
  const facts = { instance: instance.name, kind, user };
  const stopChecking = checking(world, client, granted);
  const bytes = createWebSocketStream(client, { allowHalfOpen: false });
  bytes.on("error", () => client.terminate());
  let upstream: Duplex | undefined;
  client.on("close", () => {
    stopChecking();
    upstream?.destroy();
    world.log.info(facts, "console closed");
  });
  try {
    const opened = await world.consoles.open(instance, kind);
    upstream = opened.stream;
    if (client.readyState !== client.OPEN) {
      upstream.destroy();
      return;
    }
    world.log.info(facts, "console opened");
    upstream.on("error", () => client.close(closeCodes.failed, "The console was interrupted"));
    if (kind === "vnc")
      await inTime(handshakes(opened.stream, bytes, grant.password ?? opened.password));
    pipeline(bytes, upstream, () => {});
    pipeline(upstream, bytes, () => client.close(closeCodes.ended, "The console has ended"));
  } catch (error) {
    const { message } = error as Error;
    const isAnswer = error instanceof ConsoleError;
    world.log.info({ ...facts, problem: message }, "console could not be opened");
    const code = isAnswer && error.wantsPassword ? closeCodes.wantsPassword : closeCodes.failed;
    client.close(code, reasonOf(isAnswer ? message : "The console could not be opened"));
    upstream?.destroy();
  }
}

async function handshakes(
  upstream: Duplex,
  client: Duplex,
  password: string | undefined,
): Promise<void> {
  await logInToVnc(upstream, password);
  await letVncClientIn(client);
}

async function inTime(work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const text = "The VNC server does not answer";
    timer = setTimeout(() => reject(new ConsoleError(text)), handshakeMs);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Closes consoles of clients that do not answer, of users whose line in the users file has changed, and after a logout. */
function checking(world: World, client: WebSocket, { grant, line, cookie }: Granted): () => void {
  let isAlive = true;
  client.on("pong", () => {
    isAlive = true;
  });
  const timer = setInterval(async () => {
    const isOver = cookie !== undefined && (await world.sessions.isEnded(cookie).catch(() => true));
    if (isOver) {
      client.close(closeCodes.revoked, "Your session has ended: log in again");
    } else if (world.users.entry(grant.user)?.line !== line) {
      client.close(closeCodes.revoked, "Your rights have changed: log in again");
    } else if (!isAlive) client.terminate();
    else {
      isAlive = false;
      client.ping();
    }
  }, checkMs);
  return () => clearInterval(timer);
}

/** A reason of at most 123 bytes, which WebSockets allow. */
function reasonOf(text: string): string {
  const bytes = Buffer.from(text);
  return bytes.length <= 123
    ? text
    : `${bytes
        .subarray(0, 117)
        .toString("utf8")
        .replace(/\uFFFD/g, "")} …`;
}
