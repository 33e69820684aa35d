// The points of the confd section of Ganeti's 2.1 design, numbered in the order of that text.

import { createHmac } from "node:crypto";
import { Snapshot } from "@ganeti-ts/config";
import { VirtualClock } from "@ganeti-ts/testkit/simulation";
import { describe, expect, test } from "vitest";
import { ConfdClient, respondTo } from "../src/index.js";
import { aSnapshot, clusterContent } from "./cluster.js";
import { fakeNetwork, key } from "./fake-servers.js";

const nowSeconds = 1_700_000_000;
const clock = { wallMicros: () => nowSeconds * 1e6 };
const hmac = (text: string, by: Uint8Array = key) =>
  createHmac("sha1", by).update(text).digest("hex");

interface Outer {
  readonly magic: string;
  readonly msg: string;
  readonly salt: string;
  readonly hmac: string;
}
const rsalt = "9aa6ce92-8336-11de-af38-001d093e835f";
const example = { type: 1, rsalt, protocol: 1, query: "node1.example.com" };

/** A query as a third party writes it; what `outer` names is as it says. */
function aQuery(inner: object = example, outer: Partial<Outer> = {}): Buffer {
  const msg = outer.msg ?? `${JSON.stringify(inner)}\n`;
  const salt = outer.salt ?? String(nowSeconds);
  const sent = { msg, salt, hmac: outer.hmac ?? hmac(salt + msg) };
  return Buffer.from(`${outer.magic ?? "plj0"}${JSON.stringify(sent)}`);
}

/** The answer's outer and inner message; undefined: silence. */
function answerTo(datagram: Buffer, snapshot = aSnapshot()) {
  const response = respondTo(datagram, { snapshot: () => snapshot, key, clock });
  if (response.kind === "drop") return undefined;
  const text = Buffer.from(response.datagram).toString();
  const outer = JSON.parse(text.slice(4)) as Omit<Outer, "magic">;
  return { magic: text.slice(0, 4), ...outer, inner: JSON.parse(outer.msg) };
}

const inner = (query: object) => answerTo(aQuery({ ...example, ...query }))?.inner;
const ok = { protocol: 1, status: 0 };

describe("a query", () => {
  const signature = hmac(`${nowSeconds}${JSON.stringify(example)}\n`);
  const unsigned = JSON.stringify({ msg: example, salt: String(nowSeconds), hmac: "" });
  const at = (skew: number) => aQuery(example, { salt: String(nowSeconds + skew) });
  const { rsalt: _, ...withoutRsalt } = example;
  const msg = JSON.stringify(example);
  test.each<readonly [string, readonly Buffer[], readonly Buffer[]]>([
    [
      "2: begins with the fourcc plj0, and with another one it is of another protocol",
      [aQuery(example, { magic: "plj0" })],
      [aQuery(example, { magic: "plj1" }), aQuery(example, { magic: "pbf0" })],
    ],
    ["3: carries its message as a text of JSON", [aQuery()], [Buffer.from(`plj0${unsigned}`)]],
    [
      "4: names the protocol's version, an integer, with a constant of its own",
      [aQuery()],
      [aQuery({ ...example, protocol: "1" })],
    ],
    [
      "5: has a type, an integer; an unknown type gets no answer",
      [aQuery()],
      [99, "1"].map((type) => aQuery({ ...example, type })),
    ],
    ["9: must have an rsalt", [], [aQuery(withoutRsalt)]],
    [
      "10: has the time of the client as its salt, in whole seconds",
      [at(0)],
      ["soon", ""].map((salt) => aQuery(example, { salt })),
    ],
    ["11: is accepted within five minutes of the server's clock", [-300, -1, 1, 300].map(at), []],
    ["12: is refused when it is older", [], [at(-301)]],
    ["13: is refused when it comes from the future", [], [at(301)]],
    [
      "14: is signed with an HMAC of salt and message, by the cluster's key",
      [aQuery(example, { msg, hmac: hmac(nowSeconds + msg) })],
      [aQuery(example, { msg, hmac: hmac(msg) })],
    ],
    [
      "15: with the signature of another key gets no answer, not even an error",
      [],
      [aQuery(example, { msg, hmac: hmac(nowSeconds + msg, Buffer.from("other")) })],
    ],
    [
      "16: gets no answer when its message or its time was changed on the way",
      [aQuery(example, { hmac: signature })],
      [
        aQuery({ ...example, query: "node2.example.com" }, { hmac: signature }),
        aQuery(example, { hmac: signature, salt: String(nowSeconds + 1) }),
      ],
    ],
  ])("%s", (_title, answered, ignored) => {
    expect([...answered, ...ignored].map((datagram) => answerTo(datagram) !== undefined)).toEqual([
      ...answered.map(() => true),
      ...ignored.map(() => false),
    ]);
  });

  test("6: needs no argument where its type says everything", () => {
    const { query: _left, ...rest } = example;
    expect(answerTo(aQuery({ ...rest, type: 4 }))?.inner.status).toBe(0);
  });
});

test.each<readonly [string, object, object]>([
  ["a query 1: like the design's example is answered", {}, { ...ok, answer: 0, serial: 42 }],
  [
    "a query 7: may have a text as its argument, the key of the search",
    { query: "node2.example.com" },
    { answer: 1 },
  ],
  [
    "a query 8: may have an object as its argument, whose meaning depends on the type",
    { type: 3, query: { "3": [0, 2] } },
    { answer: ["node1.example.com", "192.0.2.1"] },
  ],
  ["an answer 20: names the version of its protocol", { type: 4, query: null }, { protocol: 1 }],
  ["an answer 21: has status 0 if all is well", {}, { status: 0 }],
  [
    "an answer 22: has status 1 and the error's detail in the place of the answer otherwise",
    { type: 2, query: { "1": "203.0.113.1" } },
    { status: 1, answer: 0 },
  ],
  [
    "an answer 22: has a text in the place of the answer, too",
    { query: "nosuch" },
    { answer: expect.stringContaining("Node name nosuch not found") },
  ],
  [
    "an answer 23: may have a further status: 2, for another version of the protocol",
    { protocol: 2 },
    { status: 2 },
  ],
  [
    "queries return 31: the nodes that are offline",
    { type: 12, query: null },
    { answer: ["node3.example.com"] },
  ],
  [
    "queries return 32: the instances",
    { type: 13, query: null },
    { answer: expect.arrayContaining(["web1.example.com"]) },
  ],
  [
    "queries return 33: the primary nodes of instances",
    { type: 14, query: "web1.example.com" },
    { answer: "node1.example.com" },
  ],
])("%s", (_title, query, answer) => {
  expect(inner(query)).toMatchObject(answer);
});

describe("an answer", () => {
  test("17 to 19: has the same fourcc, the query's rsalt as its salt, and a signature of salt and message by the same key", () => {
    const found = answerTo(aQuery({ ...example, rsalt: "any text" }));
    expect(found).toMatchObject({ magic: "plj0", salt: "any text" });
    expect(found?.hmac).toBe(hmac(`any text${found?.msg}`));
  });
  test("24: is an address as a text for a query about a node's address", () => {
    const [ip] = inner({ type: 6, query: null }).answer as string[];
    expect(inner({ type: 2, query: { "1": ip } }).answer).toMatch(/^192\.0\.2\.\d+$/);
  });
  test("25: is an integer for each role for a query about a node's role", () => {
    const roles = [1, 2, 3, 4, 5].map((n) => inner({ query: `node${n}.example.com` }).answer);
    expect(roles).toEqual([0, 1, 2, 3, 4]);
  });
  test("26: has the serial number of the configuration that it comes from", () => {
    const cluster = { ...clusterContent.cluster, serial_no: 4711 };
    const later = Snapshot.of({ ...clusterContent, cluster });
    expect(answerTo(aQuery(), later)?.inner.serial).toBe(4711);
  });
  test("27: has these four parts and no others", () => {
    expect(Object.keys(inner({})).sort()).toEqual(["answer", "protocol", "serial", "status"]);
  });
});

describe("a client", () => {
  const of = (serial_no: number, tag: string) =>
    Snapshot.of({
      ...clusterContent,
      cluster: { ...clusterContent.cluster, serial_no, tags: [tag] },
    });
  const tags = { type: 10, query: "/cluster/tags" } as const;
  const asking = (servers: Parameters<typeof fakeNetwork>[1]) => {
    const time = new VirtualClock();
    const network = fakeNetwork(time, servers);
    const peers = Object.keys(servers ?? {});
    return {
      time,
      network,
      client: new ConfdClient({ key, peers, clock: time, transport: network }),
    };
  };

  test("28: asks several master candidates, since a datagram may be lost", async () => {
    const { time, network, client } = asking({
      "192.0.2.1": { snapshot: of(1, "a") },
      "192.0.2.2": { snapshot: of(1, "a"), delayMs: 5 },
      "192.0.2.3": { snapshot: of(1, "a"), delayMs: 5 },
    });
    const result = client.ask(tags);
    await time.pass(10);
    expect((await result).answer?.answer).toEqual(["a"]);
    expect([...network.asked].sort()).toEqual(["192.0.2.1", "192.0.2.2", "192.0.2.3"]);
  });
  test("29: takes the answer with the highest serial number", async () => {
    const { time, client } = asking({
      "192.0.2.1": { snapshot: of(8, "new"), delayMs: 1 },
      "192.0.2.2": { snapshot: of(7, "old"), delayMs: 5 },
    });
    const result = client.ask(tags);
    await time.pass(10);
    expect((await result).answer).toMatchObject({ answer: ["new"], serial: 8 });
  });
  test("30: knows its answers by their salt, and discards all others", async () => {
    const { time, network, client } = asking({ "192.0.2.1": { snapshot: of(1, "a") } });
    const result = client.ask({ ...tags, rsalt: "mine" }, { timeoutMs: 10 });
    const foreign = respondTo(aQuery({ ...example, rsalt: "yours" }), {
      ...{ snapshot: () => of(1, "a"), key, clock },
    });
    if (foreign.kind !== "answer") throw new Error("no answer");
    network.arrive(foreign.datagram, "192.0.2.1");
    await time.pass(10);
    expect(await result).toMatchObject({ timedOut: true, received: 0 });
  });
});
