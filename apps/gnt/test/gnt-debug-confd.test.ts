// gnt-debug confd, and the renewal of its key.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ConfdServer, createConfdServer, newConfdKey } from "@ganeti-ts/confd";
import { initialConfiguration, Snapshot } from "@ganeti-ts/config";
import { secureRandom, systemClock } from "@ganeti-ts/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { confdQueryNames } from "../src/commands/debug/confd-queries.js";
import { program as gntCluster } from "../src/programs/gnt-cluster.js";
import { program as gntDebug } from "../src/programs/gnt-debug.js";
import { type Answers, fakeCluster, tableOf } from "./fake-cluster.js";
import { runLine } from "./run-line.js";

const key = newConfdKey();
const content = initialConfiguration({
  clusterName: "cluster.example.com",
  nodes: [1, 2].map((n) => ({ name: `node${n}.example.com`, primary_ip: `192.0.2.${n}` })),
  random: secureRandom,
  now: 1_700_000_000,
  cluster: { master_ip: "192.0.2.100" },
});

const open: ConfdServer[] = [];
let dataDirectory = "";

async function aServer(address: string, serial_no: number, tag: string, port = 0) {
  const cluster = { ...content.cluster, serial_no, tags: [tag] };
  const server = await createConfdServer({
    snapshot: () => Snapshot.of({ ...content, cluster }),
    ...{ key, clock: systemClock, address, port },
  });
  open.push(server);
  return server;
}

let port = 0;
beforeAll(async () => {
  dataDirectory = mkdtempSync(join(tmpdir(), "gnt-confd-"));
  writeFileSync(join(dataDirectory, "hmac.key"), key);
  port = (await aServer("127.0.0.1", 7, "old")).bound.port;
  await aServer("127.0.0.2", 9, "new", port);
  await aServer("127.0.0.3", 9, "other", port);
});
afterAll(async () => {
  for (const server of open) await server.close();
  rmSync(dataDirectory, { recursive: true });
});

const local: Answers = {
  call: async () => ({ listening: { address: "0.0.0.0", port } }),
};
const run = (line: string, answers = local) =>
  runLine(gntDebug, `confd ${line}`, { cluster: fakeCluster(answers), dataDirectory });

test.each([
  ["ping", "3000000\n"],
  ["node-role node1", "master\n"],
  ["node-role node2.example.com", "candidate\n"],
  ["master", "node1.example.com\n"],
  ["master cluster-ip node-ip", "192.0.2.100\n192.0.2.1\n"],
  ["candidate-ips", "192.0.2.1\n192.0.2.2\n"],
  ["config-value /cluster/serial_no", "7\n"],
  ["instance-nodes", "{}\n"],
  ["offline-nodes", ""],
  ["node-ip 192.0.2.7 192.0.2.8 --link=br9", "[1,0,0]\n[1,0,0]\n"],
])("%s is asked of this cluster's server: %j", async (line, stdout) => {
  const ended = await run(line);
  // Nodes come in the order of their UUIDs, which are random.
  const sorted = (text: string) => text.split("\n").sort().join("\n");
  const inOrder = line === "candidate-ips" ? sorted : (text: string) => text;
  expect({ ...ended, stdout: inOrder(ended.stdout) }).toEqual({
    ...{ code: 0, stderr: "" },
    stdout: inOrder(stdout),
  });
});

test("among several servers the answer with the highest serial number is shown, with the servers that answered", async () => {
  const line = `-v -p ${port} -a 127.0.0.1 -a 127.0.0.2 config-value /cluster/tags`;
  expect(await run(line)).toEqual({
    code: 0,
    stdout: "new\nSerial number 9; 2 of 2 servers have answered.\n",
    stderr: "",
  });
});

test("different answers with one serial number are warned of", async () => {
  const line = `-p ${port} -a 127.0.0.2 -a 127.0.0.3 config-value /cluster/tags`;
  const { code, stderr } = await run(line);
  expect([code, stderr]).toEqual([
    0,
    "Warning: servers with the same serial number gave different answers.\n",
  ]);
});

test("--candidates queries all online candidates", async () => {
  const filters: unknown[] = [];
  const query: Answers["query"] = async (kind, fields, filter) => {
    filters.push([kind, fields, filter]);
    return tableOf(fields, [["127.0.0.1"], ["127.0.0.2"]]);
  };
  const { stdout } = await run(`--candidates -p ${port} config-value /cluster/serial_no`, {
    query,
  });
  expect(stdout).toBe("9\n");
  expect(filters).toEqual([
    ["node", ["pip"], ["&", ["?", "master_candidate"], ["!", ["?", "offline"]]]],
  ]);
});

test("with --json the answer comes with its status, serial number and replies", async () => {
  const { stdout } = await run("--json node-role node2");
  expect(JSON.parse(stdout)).toEqual({
    ...{ status: 0, answer: 1, serial: 7 },
    ...{ sent: 1, received: 1, timed_out: false, consistent: true },
  });
  const unknown = await run("--json node-ip 192.0.2.7");
  expect(JSON.parse(unknown.stdout)).toMatchObject({ status: 1, answer: 0 });
});

test.each([
  ["node-ip 192.0.2.7", /^Query 'node-ip': unknown entry\n$/],
  ["config-value /nosuch", /^Query 'config-value': argument error\n$/],
  ["node-role nosuch", /^Query 'node-role': (?:.|\n)*Node name nosuch not found/],
  ["nosuch", /^There is no query 'nosuch': ping, node-role, /],
  ["ping twice", /^Query 'ping' takes no argument, 1 given\.\n$/],
  ["node-role", /^Query 'node-role' takes an argument, 0 given\.\n$/],
  ["instance-ips a b", /^Query 'instance-ips' takes at most 1, 2 given\.\n$/],
  ["master nosuch", /^The master has no field 'nosuch': name, cluster-ip, node-ip\.\n$/],
  ["ping --link=br0", /^--link is for the query 'node-ip'/],
  ["ping -a ::1 --candidates", /^--address and --candidates exclude each other\.\n$/],
  ["ping -a ::1 -a 127.0.0.1", /^Peers must be of same address family\.\n$/],
  ["ping --key=/nowhere", /^Cannot read the key of configuration queries: ENOENT/],
])("%s fails with words that name the cause", async (line, stderr) => {
  const failed = await run(line);
  expect([failed.code, failed.stdout]).toEqual([1, ""]);
  expect(failed.stderr).toMatch(stderr);
});

test("silence is explained with the list of queried servers", async () => {
  writeFileSync(join(dataDirectory, "other.key"), newConfdKey());
  const { code, stderr } = await run(`ping --key=${dataDirectory}/other.key --timeout=0.2`);
  expect(code).toBe(1);
  expect(stderr).toMatch(
    `No answer from 127.0.0.1, port ${port}, within 0.2 s. A server is silent`,
  );
});

test("without a listener the message explains how to enable one", async () => {
  const { code, stderr } = await run("ping", { call: async () => ({ listening: null }) });
  expect([code, stderr]).toEqual([
    1,
    "The server answers no configuration queries: start it with --confd, or name others with --address or --candidates.\n",
  ]);
});

test("completion offers every query that there is", () => {
  const command = gntDebug.commands.find(({ name }) => name === "confd");
  expect(command?.arguments[0]?.choices).toEqual(confdQueryNames);
});

test("renew-crypto makes a new key and sends it to the nodes with a job", async () => {
  const cluster = fakeCluster();
  const { code, stdout } = await runLine(gntCluster, "renew-crypto --new-confd-hmac-key --force", {
    cluster,
  });
  expect([code, stdout]).toEqual([0, expect.stringContaining("have been replaced")]);
  expect(cluster.done).toEqual([["renewConfdKey"]]);
  expect(cluster.submitted).toMatchObject([[{ OP_ID: "OP_CLUSTER_REDIST_CONF" }]]);
});
