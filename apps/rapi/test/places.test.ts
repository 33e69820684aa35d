// Places for running requests: missing bodies, closed connections and greedy users do not block
// other clients. On real sockets, with the steps of each client under the test's control.
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { usualBodyLimits } from "../src/http/body.js";
import { createGates, Gate } from "../src/http/gate.js";
import { type Listening, listenOnPort, listenOnSocket } from "../src/program/listen.js";
import { createServer } from "../src/server.js";
import { sendBySocket } from "./by-socket.js";
import { aWorld, faultText } from "./world.js";

const folder = mkdtempSync(join(tmpdir(), "places-"));
const open: (Listening | Socket)[] = [];
afterAll(async () => {
  for (const one of open.splice(0)) {
    if ("port" in one) await one.close(0);
    else one.destroy();
  }
  rmSync(folder, { recursive: true });
});

const credentials = { jack: "jack:abc123", reader: "reader:look", nobody: "nobody:secret" };
type Name = keyof typeof credentials;
const authorizationOf = (name: Name) => `Basic ${btoa(credentials[name])}`;

let serverCount = 0;

/** A server of two places; its lists of nodes are never finished. */
async function aServer(world: Parameters<typeof aWorld>[0] = {}) {
  const made = await aWorld({
    gates: createGates(2),
    texts: { listParts: () => new Promise(() => {}) },
    ...world,
  });
  const app = createServer(made);
  const listening = await listenOnPort(app, "127.0.0.1", 0, undefined);
  const socketPath = join(folder, `${++serverCount}.sock`);
  open.push(listening, await listenOnSocket(app, socketPath));
  const { port } = listening;
  /** Status of a small request on a connection of its own. */
  const ask = async (name: Name, path = "/2/features") =>
    (
      await sendBySocket({
        port,
        host: "127.0.0.1",
        path,
        agent: false,
        headers: { authorization: authorizationOf(name) },
      })
    ).status;
  const askOwner = async () =>
    (await sendBySocket({ socketPath, path: "/2/features", agent: false })).status;
  return { world: made, port, ask, askOwner };
}

/** A connection that has sent `bytes`, all that has come back when it ends, and whether `expected` has come. */
function client(port: number, bytes: string) {
  const socket = connect(port, "127.0.0.1");
  open.push(socket);
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
  });
  socket.on("error", () => {});
  socket.write(bytes);
  return {
    socket,
    ended: new Promise<string>((resolve) => socket.on("close", () => resolve(text))),
    has: (expected: string) => expect.poll(() => text, { timeout: 300_000 }).toContain(expected),
  };
}

const headOf = (name: Name, length: number) =>
  `PUT /2/query/node HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorizationOf(name)}\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`;

/** Requests of which the server has the headers, and one byte of the body. */
async function stalled(port: number, count: number) {
  const clients = Array.from({ length: count }, () => client(port, headOf("reader", 1000)));
  for (const one of clients) {
    await one.has("100 Continue");
    one.socket.write("{");
  }
  return clients;
}

const listNodes = (name: Name) =>
  `GET /2/nodes?bulk=1 HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorizationOf(name)}\r\n\r\n`;

test("requests whose body does not arrive take no place", async () => {
  const { world, port, ask, askOwner } = await aServer();
  await stalled(port, 5);
  expect(await Promise.all([ask("reader"), ask("jack"), askOwner()])).toEqual([200, 200, 200]);
  expect(world.gates.port.figures()).toEqual({ running: 0, waiting: 0, abandoned: 0 });
});

test("connections that close in the middle of a body leave all places free", async () => {
  const { world, port, ask, askOwner } = await aServer();
  for (const { socket } of await stalled(port, 5)) socket.destroy();
  expect(await Promise.all([ask("reader"), ask("jack"), askOwner()])).toEqual([200, 200, 200]);
  expect(world.gates.port.figures()).toEqual({ running: 0, waiting: 0, abandoned: 0 });
});

test("a user who asks for more than half of the places waits, and others are answered", async () => {
  const { world, port, ask } = await aServer();
  for (let count = 0; count < 3; count += 1) client(port, listNodes("reader"));
  await expect.poll(() => world.gates.port.figures()).toMatchObject({ running: 1, waiting: 2 });
  expect(await ask("jack")).toBe(200);
});

test("clients without a user share the places of their address", async () => {
  const { world, port, ask } = await aServer();
  const anonymous = "GET /2/nodes?bulk=1 HTTP/1.1\r\nHost: a\r\n\r\n";
  for (let count = 0; count < 3; count += 1) client(port, anonymous);
  await expect.poll(() => world.gates.port.figures()).toMatchObject({ running: 1, waiting: 2 });
  expect(await ask("jack")).toBe(200);
});

test("the owner's socket is answered when all places of the port are taken", async () => {
  const { world, port, askOwner } = await aServer();
  client(port, listNodes("reader"));
  client(port, listNodes("jack"));
  await expect.poll(() => world.gates.port.figures().running).toBe(2);
  expect(await askOwner()).toBe(200);
});

test("a connection that closes gives its place to the next one, and is removed where it waits", async () => {
  const { world, port, ask } = await aServer();
  const working = [client(port, listNodes("reader")), client(port, listNodes("jack"))];
  await expect.poll(() => world.gates.port.figures().running).toBe(2);
  const waiting = client(port, listNodes("nobody"));
  await expect.poll(() => world.gates.port.figures().waiting).toBe(1);
  waiting.socket.destroy();
  await expect.poll(() => world.gates.port.figures().waiting).toBe(0);
  working[0]?.socket.destroy();
  expect(await ask("nobody")).toBe(200);
  expect(world.gates.port.figures()).toEqual({ running: 1, waiting: 0, abandoned: 1 });
});

test("/healthz says 503 and why when requests wait and none ends", async () => {
  let now = 0;
  const port = new Gate({ placesMax: 1, now: () => now });
  const socket = new Gate({ placesMax: 1, now: () => now });
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const listParts = async () => {
    await finished;
    return [Buffer.from("[]\n")];
  };
  const world = await aWorld({ gates: { port, socket }, texts: { listParts } });
  const answers = [1, 2].map(() => world.ask("GET", "/2/nodes?bulk=1"));
  await expect.poll(() => port.figures().waiting).toBe(1);
  now = 29_999;
  expect((await world.ask("GET", "/healthz")).status).toBe(200);
  now = 30_000;
  expect(faultText(await world.ask("GET", "/healthz"))).toMatch(
    "503 Requests on the port are stuck: 1 running, 1 waiting, 0 abandoned by their clients, none has ended for 30 s: ",
  );
  finish();
  await Promise.all(answers);
  expect((await world.ask("GET", "/healthz", { user: null })).body).toEqual({ status: "ok" });
});

test("a body slower than the minimum rate is cut with 408", async () => {
  const bodies = { ...usualBodyLimits, graceMs: 100, rateMin: 1e6 };
  const { port } = await aServer({ bodies });
  const slow = client(port, headOf("reader", 1000));
  const timer = setInterval(() => slow.socket.write("x"), 10);
  slow.socket.on("close", () => clearInterval(timer));
  expect(await slow.ended).toMatch(/HTTP\/1\.1 408[\s\S]*The request body arrives too slowly/);
});

test("bodies of one user that are too large together are refused, and those of another user are accepted", async () => {
  const bodies = { ...usualBodyLimits, bytesTogetherMax: 3000, bytesOfClientMax: 1000 };
  const { port } = await aServer({ bodies });
  const greedy = [1, 2].map(() => client(port, headOf("reader", 2000) + " ".repeat(900)));
  expect(await Promise.race(greedy.map(({ ended }) => ended))).toMatch(
    /HTTP\/1\.1 503[\s\S]*Too many large request bodies/,
  );
  const body = '{"fields": ["name"]}'.padEnd(900);
  await client(port, headOf("jack", 900) + body).has("HTTP/1.1 200");
  // Held memory is free again after the connections have closed.
  for (const { socket } of greedy) socket.destroy();
  await Promise.all(greedy.map(({ ended }) => ended));
  await expect
    .poll(async () => {
      const again = client(port, headOf("reader", 900) + body);
      const answer = await new Promise<string>((resolve) =>
        again.socket.on("data", (data) => {
          if (!String(data).endsWith("Continue\r\n\r\n")) resolve(String(data));
        }),
      );
      return /HTTP\/1\.1 (200|503)/.exec(answer)?.[1];
    })
    .toBe("200");
});
