import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Listener } from "./listener.js";

// The least of a PostgreSQL server: accepts any client and completes any statement.
const message = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5, type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const authenticated = message("R", Buffer.alloc(4));
const ready = message("Z", Buffer.from("I"));
const completed = message("C", Buffer.from("LISTEN\0"));

let server: Server;
let sockets: Socket[];
let connections: number;
let isUp: boolean;

beforeEach(async () => {
  [sockets, connections, isUp] = [[], 0, true];
  server = createServer((socket) => {
    connections++;
    sockets.push(socket);
    socket.on("error", () => {});
    if (!isUp) return socket.destroy();
    socket.once("data", () => socket.write(Buffer.concat([authenticated, ready])));
    return socket.on("data", (data) => {
      if (data[0] === 0x51) socket.write(Buffer.concat([completed, ready]));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});

afterEach(() => {
  vi.useRealTimers();
  for (const socket of sockets) socket.destroy();
  server.close();
});

/** Lets sockets work until `connections` has reached `count` and everything has settled. */
async function settled(count: number): Promise<void> {
  while (connections < count) await new Promise((resolve) => setImmediate(resolve));
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Lets sockets work until the next attempt is due: only then may the time go on. */
async function retryDue(): Promise<void> {
  while (vi.getTimerCount() === 0) await new Promise((resolve) => setImmediate(resolve));
}

test("a listener that has lost its database tries once per second and listens again when it is back", async () => {
  const heard: string[] = [];
  const { port } = server.address() as { port: number };
  const listener = new Listener(
    { host: "127.0.0.1", port, user: "u", password: "p" },
    ["news"],
    (channel) => heard.push(channel),
  );
  await listener.start();
  isUp = false;
  for (const socket of sockets) socket.destroy();
  for (let attempt = 1; attempt <= 8; attempt++) {
    await retryDue();
    await vi.advanceTimersByTimeAsync(1000);
    await settled(attempt + 1);
    expect(connections).toBe(attempt + 1);
  }
  isUp = true;
  await retryDue();
  await vi.advanceTimersByTimeAsync(1000);
  await vi.waitUntil(() => heard.length > 0, 300_000);
  expect(heard).toEqual(["news"]);
  await listener.stop();
  await vi.advanceTimersByTimeAsync(5000);
  await settled(10);
  expect(connections).toBe(10);
});
