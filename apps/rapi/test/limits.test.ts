// Limits on slow and greedy clients, on real sockets, with short times. Tests that mostly wait run
// in parallel.
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { ensureCertificate } from "../src/program/certificate.js";
import { type Limits, type Listening, listenOnPort } from "../src/program/listen.js";
import { createServer } from "../src/server.js";
import { aServer } from "./served.js";
import { aWorld } from "./world.js";

const patient: Limits = {
  handshakeMs: 10_000,
  headersMs: 10_000,
  requestMs: 10_000,
  idleMs: 10_000,
  silenceMs: 10_000,
  checkEveryMs: 20,
  connectionsMax: 100,
};

const jack = `Authorization: Basic ${btoa("jack:abc123")}\r\n`;

const open: (Listening | Socket)[] = [];
afterAll(async () => {
  for (const one of open.splice(0)) {
    if ("port" in one) await one.close(0);
    else one.destroy();
  }
});

/** A server on a port of its own; `list` is what it lists as nodes. */
async function listening(limits: Partial<Limits>, list = async () => [Buffer.from("[]\n")]) {
  const world = await aWorld({ texts: { listParts: list } });
  const app = createServer(world);
  const server = await listenOnPort(app, "127.0.0.1", 0, undefined, {
    limits: { ...patient, ...limits },
  });
  open.push(server);
  return server;
}

interface Client {
  readonly socket: Socket;
  /** All received bytes at the end of the connection, and the time (ms) until then. */
  readonly ended: Promise<{ readonly text: string; readonly afterMs: number }>;
}

function client(port: number, ...bytes: string[]): Client {
  const start = performance.now();
  const socket = connect(port, "127.0.0.1");
  open.push(socket);
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
  });
  socket.on("error", () => {});
  for (const one of bytes) socket.write(one);
  return {
    socket,
    ended: new Promise((resolve) =>
      socket.on("close", () => resolve({ text, afterMs: performance.now() - start })),
    ),
  };
}

/** Sends a byte at intervals as long as the connection is open. */
function drip({ socket }: Client, byte: string): void {
  const timer = setInterval(() => socket.write(byte), 10);
  socket.on("close", () => clearInterval(timer));
}

test.concurrent.each([
  { what: "headers that never end", limits: { headersMs: 150 }, head: "GET /2 HTTP/1.1\r\nX: " },
  {
    what: "a body that never ends",
    limits: { requestMs: 200, headersMs: 150 },
    head: `PUT /2/tags HTTP/1.1\r\nHost: a\r\n${jack}Content-Type: application/json\r\nContent-Length: 9999\r\n\r\n`,
  },
  {
    what: "chunks that never end",
    limits: { requestMs: 200, headersMs: 150 },
    head: `PUT /2/tags HTTP/1.1\r\nHost: a\r\n${jack}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\n`,
  },
])("$what are cut off, however steadily they come", async ({ limits, head }) => {
  const { port } = await listening(limits);
  const slow = client(port, head);
  drip(slow, "x");
  const { text, afterMs } = await slow.ended;
  expect(text).toMatch(/^HTTP\/1\.1 408/);
  expect(afterMs).toBeGreaterThan(100);
  expect(afterMs).toBeLessThan(3000);
});

test.concurrent("a connection without a request is closed", async () => {
  const { port } = await listening({ headersMs: 150 });
  const { afterMs } = await client(port).ended;
  expect(afterMs).toBeLessThan(3000);
});

test.concurrent("a connection without a handshake is closed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "limits-"));
  const keys = await ensureCertificate(join(folder, "rapi.pem"), "cluster.example.com");
  rmSync(folder, { recursive: true });
  const app = createServer(await aWorld());
  const limits = { ...patient, handshakeMs: 150 };
  const server = await listenOnPort(app, "127.0.0.1", 0, keys, { limits });
  open.push(server);
  // The beginning of a ClientHello, and no more.
  const { afterMs } = await client(server.port, "\x16\x03\x01\x02").ended;
  expect(afterMs).toBeGreaterThan(100);
  expect(afterMs).toBeLessThan(3000);
});

test("an answer that is not read is aborted", async () => {
  const part = Buffer.alloc(1024 * 1024, " ");
  let isAsked = () => {};
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  const { port } = await listening({ silenceMs: 150 }, async () => {
    isAsked();
    return Array(64).fill(part);
  });
  const deaf = client(port, "GET /2/nodes?bulk=1 HTTP/1.1\r\nHost: a\r\n\r\n");
  deaf.socket.pause();
  await asked;
  await new Promise((resolve) => setTimeout(resolve, 1000));
  deaf.socket.resume();
  const { text } = await deaf.ended;
  expect(text).toMatch(/^HTTP\/1\.1 200/);
  expect(text.length).toBeLessThan(64 * part.length);
});

test("an answer that is read slowly arrives whole", async () => {
  const part = Buffer.alloc(1024 * 1024, " ");
  const { port } = await listening({ silenceMs: 1000 }, async () => Array(16).fill(part));
  const slow = client(port, "GET /2/nodes?bulk=1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  const timer = setInterval(() => {
    slow.socket.pause();
    setTimeout(() => slow.socket.resume(), 15);
  }, 20);
  const { text, afterMs } = await slow.ended;
  clearInterval(timer);
  expect(text.length).toBeGreaterThan(16 * part.length);
  expect(afterMs).toBeGreaterThan(0);
});

test.concurrent("connections beyond the maximum are closed; the others continue", async () => {
  const { port } = await listening({ connectionsMax: 2 });
  const two = [client(port), client(port)];
  await Promise.all(
    two.map(({ socket }) => new Promise((resolve) => socket.on("connect", resolve))),
  );
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect((await client(port, "GET /version HTTP/1.0\r\n\r\n").ended).text).toBe("");
  for (const { socket, ended } of two) {
    socket.write("GET /version HTTP/1.0\r\n\r\n");
    expect((await ended).text).toMatch(/200 OK[\s\S]*2\n$/);
  }
});

test.concurrent("a stopping server answers running requests, and accepts no new ones", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isAsked = () => {};
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  const server = await listening({}, async () => {
    isAsked();
    await held;
    return [Buffer.from("[1]\n")];
  });
  const working = client(server.port, "GET /2/nodes?bulk=1 HTTP/1.1\r\nHost: a\r\n\r\n");
  const idle = client(server.port, "GET /version HTTP/1.1\r\nHost: a\r\n\r\n");
  await asked;
  const start = performance.now();
  const closed = server.close(5000);
  await idle.ended;
  const refused = await new Promise<NodeJS.ErrnoException>((resolve) =>
    connect(server.port, "127.0.0.1").on("error", resolve),
  );
  expect(refused.code).toBe("ECONNREFUSED");
  release();
  // It may be kept alive by what the client said; but not by a server that stops.
  expect((await working.ended).text).toMatch(/200 OK[\s\S]*\[1\]\n$/);
  await closed;
  expect(performance.now() - start).toBeLessThan(2000);
});

test.concurrent("a stopping server cuts off requests that take longer than the grace period", async () => {
  const server = await listening({}, () => new Promise(() => {}));
  const working = client(server.port, "GET /2/nodes?bulk=1 HTTP/1.1\r\nHost: a\r\n\r\n");
  await new Promise((resolve) => setTimeout(resolve, 50));
  await server.close(100);
  expect((await working.ended).text).toBe("");
});

test.concurrent("a follower of events does not delay the stop", async () => {
  const server = await aServer("--no-ssl");
  const follower = client(
    server.port,
    `GET /ganeti-ts/1/events HTTP/1.1\r\nHost: a\r\n${jack}\r\n`,
  );
  await new Promise((resolve) => follower.socket.once("data", resolve));
  const start = performance.now();
  await server.end();
  expect((await follower.ended).text).toMatch(/200 OK[\s\S]*\r\n0\r\n\r\n$/);
  expect(performance.now() - start).toBeLessThan(5000);
});
