import { Snapshot } from "@ganeti-ts/config";
import { NodeUuid } from "@ganeti-ts/protocol";
import { VirtualClock } from "@ganeti-ts/testkit/simulation";
import { expect, test } from "vitest";
import {
  ConfdClient,
  type ConfdClientOptions,
  type ConfdEvent,
  confdStatuses,
  confdTypes,
  neededReplies,
  newestAnswers,
  readConfdQuery,
  writeConfdAnswer,
} from "../src/index.js";
import { aSnapshot, clusterContent, uuidOf } from "./cluster.js";
import { type FakeServer, fakeNetwork, key } from "./fake-servers.js";

const newer = aSnapshot();

/** A candidate that missed the last change: another master, a lower serial number. */
const older = Snapshot.of({
  ...clusterContent,
  cluster: {
    ...clusterContent.cluster,
    serial_no: 41,
    master_node: NodeUuid.parse(uuidOf("a", 2)),
  },
});

const addressOf = (n: number) => `192.0.2.${n}`;

function clientOf(servers: readonly FakeServer[], more: Partial<ConfdClientOptions> = {}) {
  const clock = new VirtualClock();
  const named = Object.fromEntries(servers.map((server, at) => [addressOf(at + 1), server]));
  const network = fakeNetwork(clock, named);
  const events: ConfdEvent[] = [];
  const client = new ConfdClient({
    key,
    clock,
    transport: network,
    peers: Object.keys(named),
    onEvent: (event) => events.push(event),
    ...more,
  });
  return { client, clock, network, events };
}

const master = { type: confdTypes.clusterMaster } as const;

test.each([
  { peers: 1, needed: 1 },
  { peers: 2, needed: 2 },
  { peers: 3, needed: 2 },
  { peers: 4, needed: 3 },
  { peers: 5, needed: 3 },
  { peers: 6, needed: 4 },
  { peers: 7, needed: 4 },
])("$needed of $peers peers must answer", ({ peers, needed }) => {
  expect(neededReplies(peers)).toBe(needed);
});

test("a candidate with an old configuration answers first, and the newest answer is taken", async () => {
  const { client, clock } = clientOf([
    { snapshot: older, delayMs: 1 },
    { snapshot: newer, delayMs: 2 },
    { snapshot: older, delayMs: 5000 },
  ]);
  const asked = client.ask(master);
  await clock.pass(2);
  expect(await asked).toEqual({
    timedOut: false,
    sent: 3,
    received: 2,
    isConsistent: true,
    answer: { protocol: 1, status: 0, answer: "node1.example.com", serial: 42 },
  });
  expect(client.pendingCount).toBe(0);
  // The answer of the third peer is still under way, and not waited for.
  expect(clock.pending).toBe(1);
});

test("after the timeout a request returns the answers so far and says that it timed out", async () => {
  const { client, clock } = clientOf([{ snapshot: older, delayMs: 1 }, { snapshot: newer }]);
  const asked = client.ask(master, { timeoutMs: 3000 });
  await clock.pass(2999);
  expect(client.pendingCount).toBe(1);
  await clock.pass(1);
  const { timedOut, sent, received, answer } = await asked;
  expect({ timedOut, sent, received }).toEqual({ timedOut: true, sent: 2, received: 1 });
  expect(answer?.serial).toBe(41);
  expect(clock.pending).toBe(0);
});

test("a request expires after 10 s, and later answers are discarded", async () => {
  const { client, clock, events } = clientOf([
    { snapshot: newer, delayMs: 9999 },
    { snapshot: newer, delayMs: 10_001 },
  ]);
  const rsalt = client.send(master, { args: "mine" });
  await clock.pass(9999);
  expect(events.map(({ kind }) => kind)).toEqual(["reply"]);
  await clock.pass(1);
  expect(events.map(({ kind }) => kind)).toEqual(["reply", "expired"]);
  expect(events.every((event) => event.rsalt === rsalt && event.args === "mine")).toBe(true);
  await clock.pass(10_000);
  expect(events).toHaveLength(2);
  expect(await client.waitForReplies(rsalt)).toEqual({ timedOut: true, sent: 0, received: 0 });
});

test("waiting extends the life of a request by its timeout", async () => {
  const { client, clock, events } = clientOf([{ snapshot: newer, delayMs: 12_000 }]);
  const rsalt = client.send(master);
  await clock.pass(9000);
  const waited = client.waitForReplies(rsalt, 5000);
  await clock.pass(3000);
  expect(await waited).toEqual({ timedOut: false, sent: 1, received: 1 });
  await clock.pass(2999);
  expect(events.map(({ kind }) => kind)).toEqual(["reply"]);
  await clock.pass(1);
  expect(events.map(({ kind }) => kind)).toEqual(["reply", "expired"]);
});

test("one server that answers twice counts once", async () => {
  const { client, clock, network } = clientOf([{ snapshot: newer }, { snapshot: newer }]);
  const rsalt = client.send(master);
  const answer = { status: confdStatuses.ok, answer: 1, serial: 1 };
  network.arrive(writeConfdAnswer(answer, rsalt, key), addressOf(1));
  network.arrive(writeConfdAnswer(answer, rsalt, key), addressOf(1));
  const waited = client.waitForReplies(rsalt, 100);
  await clock.pass(100);
  expect(await waited).toEqual({ timedOut: true, sent: 2, received: 1 });
});

test("answers that are unsigned, damaged or belong to no query are discarded", () => {
  const { client, network, events } = clientOf([{ snapshot: newer }]);
  const rsalt = client.send(master);
  const ok = { status: confdStatuses.ok, answer: 1, serial: 1 };
  const good = Buffer.from(writeConfdAnswer(ok, rsalt, key));
  network.arrive(writeConfdAnswer(ok, rsalt, Buffer.from("another")), addressOf(1));
  network.arrive(writeConfdAnswer(ok, "never sent", key), addressOf(1));
  network.arrive(good.subarray(0, 40), addressOf(1));
  network.arrive(good.subarray(4), addressOf(1));
  network.arrive(Buffer.alloc(0), addressOf(1));
  expect(events).toEqual([]);
  network.arrive(good, addressOf(1));
  expect(events).toHaveLength(1);
});

test.each([
  { why: "six peers by default", peers: 9, coverage: undefined, count: 6 },
  { why: "all of fewer than six by default", peers: 4, coverage: undefined, count: 4 },
  { why: "all with -1", peers: 9, coverage: -1, count: 9 },
  { why: "as many as are wanted", peers: 9, coverage: 2, count: 2 },
])("a request goes to $why, each once", ({ peers, coverage, count }) => {
  const { client, network } = clientOf(Array.from({ length: peers }, () => ({ snapshot: newer })));
  client.send(master, coverage === undefined ? {} : { coverage });
  expect(network.asked).toHaveLength(count);
  expect(new Set(network.asked).size).toBe(count);
});

test("queries go to the peers in random order", () => {
  let calls = 0;
  const random = { fraction: () => (calls++ % 2 === 0 ? 0 : 0.99) };
  const { client, network } = clientOf(
    Array.from({ length: 4 }, () => ({ snapshot: newer })),
    { random },
  );
  client.send({ ...master, rsalt: "a" }, { coverage: -1 });
  expect(network.asked).not.toEqual([1, 2, 3, 4].map(addressOf));
  expect([...network.asked].sort()).toEqual([1, 2, 3, 4].map(addressOf));
});

test.each([
  { why: "no peers", peers: [], code: "no peers", message: "Peer list empty" },
  {
    why: "two address families",
    peers: ["192.0.2.1", "2001:db8::1"],
    code: "wrong peers",
    message: "Peers must be of same address family",
  },
  {
    why: "a name as a peer",
    peers: ["node1"],
    code: "wrong peers",
    message: "Peer address node1 invalid",
  },
])("a client refuses $why, at its start and later", ({ peers, code, message }) => {
  const error = expect.objectContaining({ name: "ConfdClientError", code, message });
  expect(() => clientOf([{ snapshot: newer }], { peers })).toThrow(error);
  expect(() => clientOf([{ snapshot: newer }]).client.setPeers(peers)).toThrow(error);
});

test("a client refuses a missing and a repeated rsalt, too wide a coverage, too large a query, too many requests", () => {
  const { client } = clientOf([{ snapshot: newer }], { pendingMax: 2 });
  const refusal = (message: string) =>
    expect.objectContaining({ name: "ConfdClientError", message });
  expect(() => client.send({ ...master, rsalt: "" })).toThrow(refusal("Missing request rsalt"));
  client.send({ ...master, rsalt: "a" });
  expect(() => client.send({ ...master, rsalt: "a" })).toThrow(refusal("Duplicate request rsalt"));
  expect(() => client.send(master, { coverage: 2 })).toThrow(
    refusal("Not enough MCs known to provide the desired coverage"),
  );
  expect(() => client.send(master, { coverage: 0 })).toThrow(refusal("0 is no number of peers"));
  const large = { type: confdTypes.configValue, query: "x".repeat(61_440) } as const;
  expect(() => client.send(large)).toThrow(refusal("Request too big"));
  client.send({ ...master, rsalt: "b" });
  expect(() => client.send(master)).toThrow(refusal("2 requests are pending"));
});

test("a request without an rsalt gets a new UUID, and all peers get the same datagram", () => {
  const datagrams: Uint8Array[] = [];
  const { client, clock } = clientOf([{ snapshot: newer }, { snapshot: newer }], {
    transport: {
      send: (datagram) => datagrams.push(datagram),
      onDatagram: () => undefined,
      close: () => Promise.resolve(),
    },
  });
  const rsalts = [client.send(master), client.send(master)];
  expect(new Set(rsalts).size).toBe(2);
  expect(rsalts[0]).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  expect(datagrams[0]).toEqual(datagrams[1]);
  const nowSeconds = clock.wallMicros() / 1e6;
  const reading = readConfdQuery(datagrams[0] as Uint8Array, { key, nowSeconds });
  expect(reading).toEqual({
    ok: true,
    query: { protocol: 1, type: 3, query: null, rsalt: rsalts[0] },
  });
});

const reply = (
  serial: number,
  answer: unknown,
  status: 0 | 1 | 2 = 0,
  rsalt = "a",
): ConfdEvent => ({
  kind: "reply",
  rsalt,
  request: master,
  args: undefined,
  from: { address: "x", port: 1 },
  answer: { protocol: 1, status, answer, serial },
});

const expired: ConfdEvent = { kind: "expired", rsalt: "a", request: master, args: undefined };

test.each([
  { why: "the first answer is passed on", events: [reply(1, "a")], passed: [0], best: "a" },
  {
    why: "a newer answer that differs is passed on",
    events: [reply(1, "a"), reply(2, "b")],
    passed: [0, 1],
    best: "b",
  },
  {
    why: "a newer answer that is the same is kept and not passed on",
    events: [reply(1, "a"), reply(3, "a"), reply(2, "b")],
    passed: [0],
    best: "a",
  },
  {
    why: "an older answer is swallowed",
    events: [reply(2, "a"), reply(1, "b")],
    passed: [0],
    best: "a",
  },
  {
    why: "an answer with the same serial number is swallowed",
    events: [reply(2, ["a"]), reply(2, ["a"])],
    passed: [0],
    best: ["a"],
  },
  {
    why: "an error does not replace an answer",
    events: [reply(0, "pong"), reply(0, "broken", 1), reply(9, 1, 2)],
    passed: [0],
    best: "pong",
  },
  {
    why: "an answer replaces an error, whatever their serial numbers",
    events: [reply(0, "broken", 1), reply(0, "pong")],
    passed: [0, 1],
    best: "pong",
  },
  {
    why: "after the end of a request nothing is known of it",
    events: [reply(2, "a"), expired, reply(1, "b")],
    passed: [0, 1, 2],
    best: "b",
  },
])("$why", ({ events, passed, best }) => {
  const listened: ConfdEvent[] = [];
  const newest = newestAnswers((event) => listened.push(event));
  for (const event of events) newest.onEvent(event);
  expect(listened).toEqual(passed.map((at) => events[at]));
  expect(newest.answerOf("a")?.answer).toEqual(best);
  expect(newest.isConsistent("a")).toBe(true);
});

test("two answers with the same serial number that differ make a request inconsistent until it expires", () => {
  const notified: unknown[] = [];
  const newest = newestAnswers(
    () => undefined,
    (...all) => notified.push(all),
  );
  for (const event of [reply(2, "a"), reply(2, "b"), reply(2, "c", 0, "other")])
    newest.onEvent(event);
  expect(newest.isConsistent("a")).toBe(false);
  expect(newest.isConsistent("other")).toBe(true);
  expect(newest.answerOf("a")?.answer).toBe("a");
  expect(notified).toEqual([["a", 2]]);
  newest.onEvent(expired);
  expect(newest.isConsistent("a")).toBe(true);
});

test("a closed client has no timers, and waiting requests return the answers so far", async () => {
  const { client, clock } = clientOf([{ snapshot: newer }]);
  const rsalt = client.send(master);
  const waited = client.waitForReplies(rsalt);
  await client.close();
  expect(await waited).toEqual({ timedOut: true, sent: 1, received: 0 });
  expect(clock.pending).toBe(0);
});
