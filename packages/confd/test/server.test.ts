import { createSocket } from "node:dgram";
import { systemClock } from "@ganeti-ts/protocol";
import { randomRuns } from "@ganeti-ts/testkit";
import { Dice } from "@ganeti-ts/testkit/simulation";
import { afterEach, expect, test, vi } from "vitest";
import {
  type ConfdServer,
  type ConfdServerOptions,
  connectConfdClient,
  createConfdServer,
  respondTo,
  signatureOf,
  writeConfdQuery,
} from "../src/index.js";
import { aSnapshot } from "./cluster.js";
import { key } from "./fake-servers.js";

const now = aSnapshot();
const address = "127.0.0.1";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function server(more: Partial<ConfdServerOptions> = {}): Promise<ConfdServer> {
  const started = await createConfdServer({
    snapshot: () => now,
    key,
    clock: systemClock,
    address,
    port: 0,
    ...more,
  });
  open.push(started);
  return started;
}

async function clientOf({ bound }: ConfdServer, peers: readonly string[] = [address]) {
  const client = await connectConfdClient({ key, peers, port: bound.port });
  open.push(client);
  return client;
}

/** Sends datagrams from a socket of its own; they arrive before what is sent later. */
async function sendAll({ bound }: ConfdServer, datagrams: readonly Uint8Array[]): Promise<void> {
  const socket = createSocket("udp4");
  open.push({ close: () => new Promise((resolve) => void socket.close(() => resolve())) });
  for (const datagram of datagrams) {
    await new Promise((resolve) => socket.send(datagram, bound.port, bound.address, resolve));
  }
}

/** The server's counts once it has read this many datagrams: a busy machine reads them late. */
async function countsAfter(server: ConfdServer, datagrams: number) {
  await vi.waitFor(() => expect(server.counts().received).toBe(datagrams), 20_000);
  return server.counts();
}

test("a client and a server speak to each other over loopback", async () => {
  const started = await server();
  const client = await clientOf(started);
  const [role, master, error] = await Promise.all([
    client.ask({ type: 1, query: "node4.example.com" }),
    client.ask({ type: 3, query: { "3": [0, 2] } }),
    client.ask({ type: 1, query: "nosuch" }),
  ]);
  expect(role).toMatchObject({ timedOut: false, received: 1, answer: { answer: 3, serial: 42 } });
  expect(master?.answer?.answer).toEqual(["node1.example.com", "192.0.2.1"]);
  expect(error?.answer?.status).toBe(1);
  expect(started.counts()).toMatchObject({
    received: 3,
    answered: { 0: 2, 1: 1, 2: 0 },
    sendsFailed: 0,
  });
});

test("a client over IPv6 is answered over IPv6", async () => {
  const started = await server({ address: "::1" });
  const client = await clientOf(started, ["::1"]);
  expect((await client.ask({ type: 0 })).answer?.answer).toBe(3_000_000);
});

test("answers come from the newest snapshot", async () => {
  let current: ReturnType<ConfdServerOptions["snapshot"]> = { unavailable: "broken file" };
  const client = await clientOf(await server({ snapshot: () => current }));
  expect((await client.ask({ type: 0 })).answer).toMatchObject({
    status: 1,
    answer: "broken file",
  });
  current = now;
  expect((await client.ask({ type: 0 })).answer).toMatchObject({ status: 0 });
});

test("a server without a snapshot is silent, and counts the queries", () => {
  const query = { type: 0, query: null, rsalt: "r" } as const;
  const datagram = writeConfdQuery(query, { key, nowSeconds: Date.now() / 1000 });
  expect(respondTo(datagram, { snapshot: () => undefined, key, clock: systemClock })).toEqual({
    ...{ kind: "drop", why: "no configuration" },
  });
});

test("datagrams without answer are counted by their reason and reported with their sender", async () => {
  const drops: string[] = [];
  const started = await server({ onDrop: (why, from) => drops.push(`${why} ${from.address}`) });
  const seconds = Math.floor(Date.now() / 1000);
  const ping = { type: 0, query: null, rsalt: "r" } as const;
  const msg = '{"protocol":1,"type":99,"query":null,"rsalt":"r"}';
  const salt = String(seconds);
  await sendAll(started, [
    Buffer.from("nonsense"),
    Buffer.from("plj0{"),
    Buffer.alloc(5000, "plj0"),
    writeConfdQuery(ping, { key: Buffer.from("another"), nowSeconds: seconds }),
    writeConfdQuery(ping, { key, nowSeconds: seconds - 1000 }),
    Buffer.from(`plj0${JSON.stringify({ hmac: signatureOf(key, salt, msg), msg, salt })}`),
  ]);
  await (await clientOf(started)).ask({ type: 0 });
  expect(started.counts()).toEqual({
    received: 7,
    answered: { 0: 1, 1: 0, 2: 0 },
    sendsFailed: 0,
    dropped: {
      "no magic": 1,
      malformed: 1,
      oversized: 1,
      "wrong hmac": 1,
      "clock skew": 1,
      "unknown query": 1,
      "no configuration": 0,
      busy: 0,
      rate: 0,
    },
  });
  const reasons = [
    "no magic",
    "malformed",
    "oversized",
    "wrong hmac",
    "clock skew",
    "unknown query",
  ];
  expect(drops).toEqual(reasons.map((why) => `${why} ${address}`));
});

test("no more answers wait to be sent than are allowed", async () => {
  const started = await server({ sendsMax: 0 });
  const client = await clientOf(started);
  const result = await client.ask({ type: 0 }, { timeoutMs: 200 });
  expect(result).toMatchObject({ timedOut: true, received: 0, answer: undefined });
  expect(await countsAfter(started, 1)).toMatchObject({ dropped: { busy: 1 } });
});

test("datagrams above the rate are dropped unread, whatever they are", async () => {
  let micros = Date.now() * 1000;
  const clock = { ...systemClock, wallMicros: () => micros };
  const started = await server({ perSecondMax: 4, clock });
  const client = await clientOf(started);
  await sendAll(started, [Buffer.from("a"), Buffer.from("b")]);
  expect(await client.ask({ type: 0 }, { timeoutMs: 200 })).toMatchObject({ timedOut: true });
  expect(await countsAfter(started, 3)).toMatchObject({ dropped: { "no magic": 2, rate: 1 } });
  micros += 1_000_000;
  expect((await client.ask({ type: 0 })).answer?.status).toBe(0);
});

test("a renewed key holds from the next datagram on", async () => {
  let current: Uint8Array = key;
  const started = await server({ key: () => current });
  const client = await clientOf(started);
  expect((await client.ask({ type: 0 })).answer?.status).toBe(0);
  current = Buffer.from("another key\n");
  expect(await client.ask({ type: 0 }, { timeoutMs: 200 })).toMatchObject({ timedOut: true });
  expect((await countsAfter(started, 2)).dropped["wrong hmac"]).toBe(1);
});

test("a port that is taken is an error of the start", async () => {
  const { bound } = await server();
  await expect(server({ port: bound.port })).rejects.toMatchObject({ code: "EADDRINUSE" });
});

test("damaged datagrams are dropped each by its reason, and a valid one is answered after them", () => {
  const nowSeconds = 1_700_000_000;
  const source = { snapshot: () => now, key, clock: { wallMicros: () => nowSeconds * 1e6 } };
  const good = Buffer.from(
    writeConfdQuery({ type: 1, query: "node1", rsalt: "r" }, { key, nowSeconds }),
  );
  const seen: Record<string, number> = {};
  const dice = new Dice(7);
  const below = (limit: number) => dice.between(0, limit - 1);
  for (let round = 0; round < randomRuns(100_000); round++) {
    const damaged = Buffer.from(
      good.subarray(0, below(4) === 0 ? below(good.length) : good.length),
    );
    for (let flips = 1 + below(3); flips > 0 && damaged.length > 0; flips--) {
      const at = below(damaged.length);
      damaged[at] = (damaged[at] ?? 0) ^ (1 + below(255));
    }
    const response = respondTo(damaged, source);
    const kind = response.kind === "drop" ? response.why : "answer";
    seen[kind] = (seen[kind] ?? 0) + 1;
  }
  // Flips may undo each other, or damage the blank at the end of a line.
  expect(seen.answer ?? 0).toBeLessThan(randomRuns(2000));
  for (const why of ["no magic", "malformed", "wrong hmac"])
    expect(seen[why]).toBeGreaterThan(randomRuns(1000));
  expect(respondTo(good, source).kind).toBe("answer");
});
