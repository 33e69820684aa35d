// Configuration queries on a node: the daemon answers from the copy that its master has sent.
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  type ConfdQuery,
  confdTypes,
  connectConfdClient,
  newConfdKey,
  readConfdKey,
} from "@ganeti-ts/confd";
import type { Snapshot } from "@ganeti-ts/config";
import type { JsonObject } from "@ganeti-ts/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withInstances } from "../instances.js";
import { aServer, type TestServer } from "../served.js";
import { type DaemonOfNode, daemonOfNode } from "./daemon-of-node.js";

type Query = Pick<ConfdQuery, "type" | "query">;

let server: TestServer;
let node: DaemonOfNode;
let now: Snapshot;
let key: Uint8Array;

const node2 = "node2.example.com";

beforeAll(async () => {
  server = await aServer("--confd", "--confd-port=0", "--nodes=3", "--groups=1");
  await withInstances(server, [
    { instance_name: "web.example.com", nics: [{ ip: "203.0.113.9" }, { ip: "203.0.113.10" }] },
    { instance_name: "mail.example.com", disk_template: "plain" },
    { instance_name: "later.example.com", forthcoming: true },
  ]);
  now = server.cluster.snapshot();
  key = await readConfdKey(server.directory.confdKey);
  node = await daemonOfNode(node2, key);
});
afterAll(async () => {
  await node?.end();
  await server.end();
});

async function done(opcode: JsonObject): Promise<void> {
  const { queue } = server.world;
  const { status, results } = await queue.ended(await queue.submit([opcode]));
  if (status !== "success") throw new Error(JSON.stringify(results));
}

const clientOf = (port: number) => connectConfdClient({ key, peers: ["127.0.0.1"], port });
const portOfServer = () => server.world.confd.bound()?.port ?? 0;

/** The node's answer; undefined for silence. */
async function ofNode(query: Query = { type: confdTypes.ping, query: null }) {
  const client = await clientOf(node.confdPort);
  try {
    return (await client.ask(query, { timeoutMs: 300 })).answer;
  } finally {
    await client.close();
  }
}

const masterQuery: Query = { type: confdTypes.clusterMaster, query: null };

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(50);
}
const answering = () => until(async () => (await ofNode()) !== undefined);

test("a node without a copy is silent, and begins when a copy arrives that makes it a candidate", async () => {
  expect(await ofNode()).toBeUndefined();
  await node.distribute(now, []);
  await answering();
  expect(node.log.join("\n")).toContain(
    `configuration queries are answered on 127.0.0.1:${node.confdPort}`,
  );
});

test("each query has the same answer from the node's copy as from the server", async () => {
  const names = ["node1.example.com", node2, "node2", "node", "web.example.com", "web", "nobody"];
  const uuids = [...now.nodes(), ...now.instances()].map(({ uuid }) => uuid);
  const objects = [
    { "1": "203.0.113.9" },
    { "2": ["203.0.113.10", "203.0.113.11"] },
    { "1": "203.0.113.9", "0": "missing" },
    { "3": [0, 1, 2] as const },
  ];
  const pointers = ["/cluster/tags", "/cluster/serial_no", "/nodes", "/instances/x", "/filters"];
  const arguments_ = [null, ...names, ...uuids, ...objects, ...pointers] as Query["query"][];
  const clients = await Promise.all([node.confdPort, portOfServer()].map(clientOf));
  const seen = { ok: 0, error: 0 };
  for (const type of Object.values(confdTypes)) {
    for (const query of arguments_) {
      const asked = clients.map((client) => client.ask({ type, query }, { timeoutMs: 9_000 }));
      const [own, theirs] = (await Promise.all(asked)).map(({ answer }) => answer);
      expect([type, query, own]).toEqual([type, query, theirs]);
      expect(own).toBeDefined();
      seen[own?.status === 0 ? "ok" : "error"]++;
    }
  }
  await Promise.all(clients.map((client) => client.close()));
  expect(seen.ok).toBeGreaterThan(100);
  expect(seen.error).toBeGreaterThan(50);
});

test("a node with an older copy answers with its older serial number, until the next copy arrives", async () => {
  await done({ OP_ID: "OP_TAGS_SET", kind: "cluster", tags: ["new"] });
  const newer = server.cluster.snapshot();
  expect((await ofNode(masterQuery))?.serial).toBe(now.cluster.serial_no);
  expect(newer.cluster.serial_no).toBeGreaterThan(now.cluster.serial_no ?? 0);
  await node.distribute(newer, []);
  await until(async () => (await ofNode(masterQuery))?.serial === newer.cluster.serial_no);
  now = newer;
});

test("a renewed key counts from its arrival, and one that is empty never", async () => {
  const path = join(node.data, "hmac.key");
  const former = key;
  key = newConfdKey();
  expect(await ofNode()).toBeUndefined();
  writeFileSync(`${path}.new`, key);
  renameSync(`${path}.new`, path);
  await answering();
  const current = key;
  key = former;
  expect(await ofNode()).toBeUndefined();
  key = new Uint8Array();
  writeFileSync(path, key);
  expect(await ofNode()).toBeUndefined();
  key = current;
  writeFileSync(path, key);
  await answering();
});

test("a copy that cannot be read is the answer's error, until the next one arrives", async () => {
  writeFileSync(join(node.data, "config.data"), '{"version": 3000000');
  await until(async () => (await ofNode())?.status === 1);
  expect((await ofNode())?.answer).toContain("Cannot read the configuration");
  await node.distribute(now, []);
  await until(async () => (await ofNode())?.status === 0);
});

test("a node that is demoted is silent at once, closes its port, and answers again when it is promoted", async () => {
  await node.call("node_demote_from_mc", {});
  expect(await ofNode()).toBeUndefined();
  await until(async () => node.log.some((line) => line.includes("no longer answered")));
  await node.distribute(now, []);
  await answering();
  const uuid = now.expectNode(node2).uuid;
  const object = { ...now.expectNode(node2), master_candidate: false };
  const demoted = now.with([{ kind: "put", type: "node", object }], { serial: 9, mtime: 9 });
  expect(demoted.node(uuid)?.master_candidate).toBe(false);
  await node.distribute(demoted, []);
  expect(await ofNode()).toBeUndefined();
  key = await readConfdKey(join(node.data, "hmac.key"));
  await node.distribute(now, []);
  await answering();
});
