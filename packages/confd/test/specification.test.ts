import { Snapshot } from "@ganeti-ts/config";
import { type InstanceObject, InstanceUuid } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import {
  answerConfdQuery,
  type ConfdArgument,
  type ConfdType,
  notYetLoaded,
  readConfdAnswer,
  readConfdQuery,
  respondTo,
  signatureOf,
  writeConfdAnswer,
  writeConfdQuery,
} from "../src/index.js";
import { aSnapshot, clusterContent, uuidOf } from "./cluster.js";
import { key } from "./fake-servers.js";

// The worked example of the protocol's description: role of node1, at that time, with that key.
const example = {
  nowSeconds: 1249637704,
  rsalt: "9aa6ce92-8336-11de-af38-001d093e835f",
  query:
    'plj0{"hmac": "4ddc1d11865979bf0f5e57103fae2b47bdf78b3d", "msg": "{\\"protocol\\": 1, \\"query\\": \\"node1.example.com\\", \\"rsalt\\": \\"9aa6ce92-8336-11de-af38-001d093e835f\\", \\"type\\": 1}\\n", "salt": "1249637704"}',
  answer:
    'plj0{"hmac": "bdd8760f59c9c66320c70602abeb5f749c2590cb", "msg": "{\\"answer\\":1,\\"protocol\\":1,\\"serial\\":42,\\"status\\":0}", "salt": "9aa6ce92-8336-11de-af38-001d093e835f"}',
};

const now = aSnapshot();
const nowSeconds = 1_700_000_000;

const signed = (msg: string, salt = String(nowSeconds), by: Uint8Array = key, hmac?: string) =>
  Buffer.from(`plj0${JSON.stringify({ hmac: hmac ?? signatureOf(by, salt, msg), msg, salt })}`);

const ping = JSON.stringify({ protocol: 1, type: 0, query: null, rsalt: "r" });

const faultOf = (datagram: Uint8Array): string => {
  const reading = readConfdQuery(datagram, { key, nowSeconds });
  return reading.ok ? "none" : reading.fault;
};

const ask = (type: ConfdType, query: ConfdArgument = null, at: Snapshot = now) =>
  answerConfdQuery(at, { protocol: 1, type, query });

/** Like the daemon's answer, as a client reads it. */
function read(type: ConfdType, query: ConfdArgument = null, at: Snapshot = now) {
  const reading = readConfdAnswer(writeConfdAnswer(ask(type, query, at), "r", key), key);
  if (!reading.ok) throw new Error(reading.fault);
  const { status, answer, serial } = reading.answer;
  return [status, answer, serial];
}

describe("messages", () => {
  test("the worked example's query is read", () => {
    const reading = readConfdQuery(Buffer.from(example.query), {
      key,
      nowSeconds: example.nowSeconds,
    });
    const query = { protocol: 1, type: 1, query: "node1.example.com", rsalt: example.rsalt };
    expect(reading).toEqual({ ok: true, query });
  });

  test("the worked example's answer is read", () => {
    const { rsalt } = example;
    const answer = { protocol: 1, status: 0, answer: 1, serial: 42 };
    expect(readConfdAnswer(Buffer.from(example.answer), key)).toEqual({ ok: true, answer, rsalt });
  });

  test("the newline of the key file is part of the key", () => {
    const stripped = key.subarray(0, -1);
    const at = { key: stripped, nowSeconds: example.nowSeconds };
    expect(readConfdQuery(Buffer.from(example.query), at)).toEqual({
      ok: false,
      fault: "wrong hmac",
    });
  });

  test("a query is written as Ganeti's client writes it", () => {
    const query = { type: 1, query: "node4.example.com", rsalt: example.rsalt } as const;
    const datagram = writeConfdQuery(query, { key, nowSeconds: example.nowSeconds + 0.9 });
    expect(Buffer.from(datagram).toString()).toBe(
      'plj0{"msg": "{\\"protocol\\": 1, \\"type\\": 1, \\"query\\": \\"node4.example.com\\", \\"rsalt\\": \\"9aa6ce92-8336-11de-af38-001d093e835f\\"}\\n", "salt": "1249637704", "hmac": "4a284b418454f5633ee4b0c881338935e2147d7e"}\n',
    );
  });

  test("characters outside ASCII are escaped in a query, so that Ganeti's server verifies it", () => {
    const datagram = writeConfdQuery({ type: 1, query: "é😀", rsalt: "r" }, { key, nowSeconds });
    expect(Buffer.from(datagram).toString()).toContain("\\\\u00e9\\\\ud83d\\\\ude00");
    const reading = readConfdQuery(datagram, { key, nowSeconds });
    expect(reading.ok && reading.query.query).toBe("é😀");
  });

  test("an answer of Ganeti's server with a character of Latin-1 is read", () => {
    const msg = '{"protocol":1,"status":1,"answer":"Node name \u00e9 not found","serial":0}';
    const datagram = Buffer.from(signed(msg, "r").toString(), "latin1");
    const reading = readConfdAnswer(datagram, key);
    expect(reading.ok && reading.answer.answer).toBe("Node name \u00e9 not found");
  });

  test.each([
    { why: "no magic bytes", datagram: Buffer.from("plj1{}"), fault: "no magic" },
    { why: "fewer bytes than the magic", datagram: Buffer.from("plj"), fault: "no magic" },
    { why: "no bytes", datagram: Buffer.alloc(0), fault: "no magic" },
    { why: "nothing behind the magic", datagram: Buffer.from("plj0"), fault: "malformed" },
    { why: "damaged JSON", datagram: signed(ping).subarray(0, -1), fault: "malformed" },
    { why: "a list", datagram: Buffer.from("plj0[]"), fault: "malformed" },
    { why: "a salt that is a number", datagram: signed(ping, 5 as never), fault: "malformed" },
    {
      why: "another key",
      datagram: signed(ping, undefined, Buffer.from("k")),
      fault: "wrong hmac",
    },
    {
      why: "a signature that is cut off",
      datagram: signed(ping, undefined, key, signatureOf(key, String(nowSeconds), ping).slice(1)),
      fault: "wrong hmac",
    },
    { why: "an empty signature", datagram: signed(ping, undefined, key, ""), fault: "wrong hmac" },
    { why: "a salt that is no number", datagram: signed(ping, "now"), fault: "clock skew" },
    {
      why: "a salt with a fraction",
      datagram: signed(ping, `${nowSeconds}.0`),
      fault: "clock skew",
    },
    { why: "a message that is no JSON", datagram: signed("{"), fault: "unknown query" },
    { why: "no rsalt", datagram: signed('{"protocol":1,"type":0}'), fault: "unknown query" },
    {
      why: "an unknown type",
      datagram: signed('{"protocol":1,"type":15,"query":null,"rsalt":"r"}'),
      fault: "unknown query",
    },
    {
      why: "a field that the master does not have",
      datagram: signed('{"protocol":1,"type":3,"query":{"3":[3]},"rsalt":"r"}'),
      fault: "unknown query",
    },
    {
      why: "a key that no query has",
      datagram: signed('{"protocol":1,"type":2,"query":{"4":""},"rsalt":"r"}'),
      fault: "unknown query",
    },
    {
      why: "more than 4096 bytes",
      datagram: signed(ping.replace("null", JSON.stringify("x".repeat(4096)))),
      fault: "oversized",
    },
  ])("a datagram with $why is dropped as $fault", ({ datagram, fault }) => {
    expect(faultOf(datagram)).toBe(fault);
  });

  test("fractions of the server's second do not count", () => {
    const reading = readConfdQuery(signed(ping, String(nowSeconds - 300)), {
      key,
      nowSeconds: nowSeconds + 0.9,
    });
    expect(reading.ok).toBe(true);
  });

  test("a query that comes twice is answered twice with the same bytes", () => {
    const source = { snapshot: () => now, key, clock: { wallMicros: () => nowSeconds * 1e6 } };
    const [first, second] = [respondTo(signed(ping), source), respondTo(signed(ping), source)];
    expect(first.kind).toBe("answer");
    expect(second).toEqual(first);
  });

  test("a larger datagram than 61440 bytes is refused as a query, replaced as an answer", () => {
    const queryOf = (length: number) =>
      writeConfdQuery({ type: 10, query: "x".repeat(length), rsalt: "r" }, { key, nowSeconds });
    const rest = queryOf(0).length;
    expect(queryOf(61_440 - rest)).toHaveLength(61_440);
    expect(() => queryOf(61_441 - rest)).toThrow(new RangeError("Packet too big: 61441 > 61440"));
    const answerOf = (length: number) =>
      writeConfdAnswer({ status: 0, answer: "x".repeat(length), serial: 1 }, "r", key);
    const largest = 61_440 - answerOf(0).length;
    expect(answerOf(largest)).toHaveLength(61_440);
    const reading = readConfdAnswer(answerOf(largest + 1), key);
    const answer = { protocol: 1, status: 1, answer: "answer too large", serial: 0 };
    expect(reading).toEqual({ ok: true, answer, rsalt: "r" });
  });

  test("without a configuration each query gets the reason as an error", () => {
    const clock = { wallMicros: () => nowSeconds * 1e6 };
    const response = respondTo(signed(ping), { snapshot: () => notYetLoaded, key, clock });
    const outcome = { status: 1, answer: "Configuration not yet loaded", serial: 0 };
    expect(response).toMatchObject({ kind: "answer", outcome });
  });
});

describe("answers", () => {
  // Cases that the recorded exchanges with Ganeti cannot show; the others are in reference.test.ts.
  test.each([
    { why: "offline nodes are listed by name", type: 12, answer: [0, ["node3.example.com"], 42] },
    {
      why: "instances are listed by name",
      type: 13,
      answer: [
        0,
        ["web1", "web2", "mail", "shadow", "twin", "later"].map((n) => `${n}.example.com`),
        42,
      ],
    },
    {
      why: "primary nodes are told of all instances",
      type: 14,
      answer: [
        0,
        {
          "later.example.com": "node5.example.com",
          "mail.example.com": "node2.example.com",
          "shadow.example.com": "node5.example.com",
          "twin.example.com": "node5.example.com",
          "web1.example.com": "node1.example.com",
          "web2.example.com": "node2.example.com",
        },
        42,
      ],
    },
    { why: "and of one by name", type: 14, query: "web1", answer: [0, "node1.example.com", 42] },
    { why: "and by UUID", type: 14, query: uuidOf("c", 3), answer: [0, "node2.example.com", 42] },
    {
      why: "an unknown instance has no primary node",
      type: 14,
      query: "nosuch",
      answer: [
        ...[
          1,
          'Instance not found in the configuration: OpPrereqError "Instance name nosuch not found" ECodeNoEnt',
        ],
        0,
      ],
    },
    {
      why: "primary nodes are not told of addresses",
      type: 14,
      query: { "1": "192.0.2.1" },
      answer: [
        1,
        'Invalid query type DictQuery (ConfdReqQ {confdReqQIp = Just "192.0.2.1", confdReqQIpList = [], confdReqQLink = Nothing, confdReqQFields = []})',
        0,
      ],
    },
    {
      why: "the master is master by any of its names",
      type: 1,
      query: "node1",
      answer: [0, 0, 42],
    },
    {
      why: "an array's index has no leading zero",
      type: 10,
      query: "/cluster/tags/00",
      answer: [1, 2, 0],
    },
    {
      why: "private parameters are redacted below their object too",
      type: 10,
      query: `/instances/${uuidOf("c", 3)}/osparams_private/password`,
      answer: [0, "<redacted>", 42],
    },
    {
      why: "those of the cluster as well",
      type: 10,
      query: "/cluster/osparams_private_cluster/noop",
      answer: [0, { token: "<redacted>" }, 42],
    },
    { why: "a pointer's ~1 is a slash", type: 10, query: "/cluster/os_hvp/~1", answer: [1, 2, 0] },
  ] as { why: string; type: ConfdType; query?: ConfdArgument; answer: unknown }[])(
    "$why",
    ({ type, query, answer }) => {
      expect(read(type, query)).toEqual(answer);
    },
  );

  const ofJob = {
    ...clusterContent.instances.find(({ name }) => name === "later.example.com"),
    uuid: InstanceUuid.parse(uuidOf("c", 9)),
    name: "held.example.com",
    disks: [uuidOf("e", 9)],
  };
  const itsDisk = {
    ...clusterContent.disks.find(({ uuid }) => uuid === uuidOf("e", 6)),
    uuid: uuidOf("e", 9),
  };
  const claim = { kind: "creation", uuid: ofJob.uuid, job: 7, instance: ofJob, disks: [itsDisk] };
  const withClaim = Snapshot.of({ ...clusterContent, claims: [claim as never] });

  test.each([
    { type: 6 },
    { type: 8, query: "node5.example.com" },
    { type: 10, query: "/instances" },
    { type: 10, query: `/instances/${uuidOf("c", 9)}` },
    { type: 10, query: "/disks" },
    { type: 10, query: `/disks/${uuidOf("e", 9)}` },
    { type: 13 },
    { type: 14 },
    { type: 9, query: "held.example.com" },
  ] as { type: ConfdType; query?: ConfdArgument }[])(
    "type $type for $query shows nothing of a claim",
    ({ type, query }) => {
      expect(withClaim.count("claim")).toBe(now.count("claim") + 1);
      expect(read(type, query, withClaim)).toEqual(read(type, query));
    },
  );

  test("instances without a name, and those without a node, are left out of lists", () => {
    const [web1, ...others] = clusterContent.instances;
    const { name, ...unnamed } = { ...web1, forthcoming: true } as InstanceObject;
    const { primary_node, ...homeless } = { ...others[0], forthcoming: true } as InstanceObject;
    const instances = [unnamed, homeless, ...others.slice(1)] as never;
    const at = Snapshot.of({ ...clusterContent, instances });
    expect([name, primary_node]).toEqual(["web1.example.com", uuidOf("a", 2)]);
    expect(read(13, null, at)[1]).not.toContain("web1.example.com");
    expect(read(14, null, at)[1]).not.toHaveProperty(["web2.example.com"]);
    expect(read(14, "web2", at)).toEqual([1, 0, 0]);
  });

  test("a disk that is missing is an error", () => {
    const disks = clusterContent.disks.filter(({ uuid }) => uuid !== uuidOf("e", 2));
    const at = Snapshot.of({ ...clusterContent, disks });
    const text = `Could not retrieve disks: OpPrereqError "Disk uuid ${uuidOf("e", 2)} not found" ECodeNoEnt`;
    expect(read(9, "web1", at)).toEqual([1, text, 0]);
  });

  test("a table too large for a datagram is an error, and only its beginning is written", () => {
    const [first] = clusterContent.instances;
    let looked = 0;
    const instances = Array.from({ length: 3000 }, (_, at) => {
      const uuid = `${String(at).padStart(8, "0")}-0000-4000-8000-000000000000`;
      return { ...first, uuid, name: `i${at}`, disks: [], nics: [] };
    });
    const at = Snapshot.of({ ...clusterContent, instances: instances as never });
    const watched = new Proxy(at, {
      get(target, property) {
        const value = Reflect.get(target, property, target) as unknown;
        if (property !== "all") return typeof value === "function" ? value.bind(target) : value;
        return function* () {
          for (const one of target.instances()) {
            looked++;
            yield one;
          }
        };
      },
    });
    expect(read(10, "/instances", watched)).toEqual([1, "answer too large", 0]);
    expect(looked).toBeGreaterThan(50);
    expect(looked).toBeLessThan(300);
  });

  test("filter rules are shown as part of the configuration", () => {
    const rule = {
      uuid: "u",
      watermark: 1,
      priority: 2,
      predicates: [],
      action: "REJECT",
      reason_trail: [],
    };
    const query = { protocol: 1, type: 10, query: "/filters/u/action" } as const;
    expect(answerConfdQuery(now, query, [rule as never])).toEqual({
      status: 0,
      answer: "REJECT",
      serial: 42,
    });
  });

  test("a collector of Xen's is not active without Xen, and one without settings has the defaults", () => {
    const cluster = {
      ...clusterContent.cluster,
      enabled_hypervisors: ["kvm"],
      data_collectors: {},
    };
    const at = Snapshot.of({ ...clusterContent, cluster: cluster as never });
    const [, answer] = read(11, null, at);
    expect(answer).toMatchObject({
      "inst-status-xen": { active: false, interval: 5_000_000 },
      lv: { active: true, interval: 5_000_000 },
    });
  });
});
