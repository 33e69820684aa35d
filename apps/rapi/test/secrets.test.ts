// Secrets are planted in all places that accept one, and searched for in all output of the server.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  type JobId,
  type Json,
  type JsonObject,
  parseJson,
  systemClock,
  writeJson,
} from "@ganeti-ts/protocol";
import { noopOs, SimulatedNodes } from "@ganeti-ts/simulated-nodes";
import { openSqliteNodeStates, openSqliteStore } from "@ganeti-ts/store/sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLog } from "../src/log.js";
import { sendBySocket } from "./by-socket.js";
import { endOf } from "./instances.js";
import { aSpecialServer, type TestServer } from "./served.js";

/** Every planted secret begins so. */
const mark = "planted";
const secrets = new Set<string>();
const plant = (name: string): string => {
  const secret = `${mark}-${name}`;
  secrets.add(secret);
  return secret;
};

const hash = "54c12257ee9be413f2f3182435514aae";
const owner = `jack:${plant("password")}`;
const users = `jack {cleartext}${owner.slice(5)} write,full\nrita {HA1}${hash} read\n`;

/** All output of the server, with its place. */
const said: { readonly where: string; readonly text: string }[] = [];
const hear = (where: string, text: string) => void said.push({ where, text });

let server: TestServer;
let jobs: JobId[] = [];

/** Sends a request as a client, and records headers as well. */
async function ask(line: string, body?: Json | Buffer, authorization = `Basic ${btoa(owner)}`) {
  const [method = "", path = ""] = line.split(" ");
  const where = { host: "127.0.0.1", port: server.port, method, path, headers: { authorization } };
  const { headers, text } = await sendBySocket(where, body);
  hear(`${line} ${JSON.stringify(body)}`, JSON.stringify(headers) + text);
  return text;
}

/** Sends a request that is answered with a job; returns the end of the job. */
async function job(line: string, body?: Json): Promise<string> {
  const text = await ask(line, body);
  expect(text).toMatch(/^\d+\n$/);
  const id = Number(text) as JobId;
  const [status, result] = await endOf(server, id);
  hear(`result of ${line}`, JSON.stringify(result));
  return status === "success" ? status : `${status} ${JSON.stringify(result)}`;
}

const instance = "/2/instances/web.example.com";
const creation = {
  __version__: 1,
  mode: "create",
  name: "web.example.com",
  os: "noop+default",
  disk_template: "drbd",
  disks: [{ size: 1024 }],
  nics: [{}],
  iallocator: "hail",
};
const given = (name: string) => ({
  osparams_private: { token: plant(`private of ${name}`) },
  osparams_secret: { root_password: plant(`secret of ${name}`) },
});

beforeAll(async () => {
  const log = createLog("debug", { write: (line) => hear("log", line) });
  const prepare = async (folder: string) => {
    const parameters = ["token", "root_password"].map((name) => [name, ""] as const);
    const operatingSystems = [{ ...noopOs, parameters }];
    const hosts = [1, 2, 3, 4].map((at) => ({
      name: `node${at}.example.com`,
      operatingSystems,
    }));
    const states = openSqliteNodeStates(join(folder, "nodes", "nodes.db"));
    await SimulatedNodes.open({ clock: systemClock, hosts, states });
    await states.close();
  };
  server = await aSpecialServer({ users, log, prepare }, "--no-ssl");
});
afterAll(async () => {
  await server.stop();
  rmSync(server.directory.path, { recursive: true });
});

test("creations and changes put secrets where they belong", async () => {
  expect(await job("POST /2/instances", { ...creation, ...given("creation") })).toBe("success");
  const { cluster, world } = server;
  const { queue } = world;
  expect(await job(`PUT ${instance}/shutdown`)).toBe("success");
  expect(
    await job(`PUT ${instance}/modify`, {
      osparams_private: { token: plant("private of a change") },
    }),
  ).toBe("success");
  const reinstall = { os: "noop+default", start: false };
  expect(await job(`POST ${instance}/reinstall`, reinstall)).toBe("success");
  await queue.submit([{ OP_ID: "OP_TEST_OS_PARAMS", osparams_secret: { a: plant("test") } }]);
  await queue.submit([
    {
      OP_ID: "OP_INSTANCE_REINSTALL",
      instance_name: "web.example.com",
      ...given("reinstallation"),
    },
  ]);
  const ofCluster = { "noop+default": { token: plant("private of the cluster") } };
  expect(await job("PUT /2/modify", { osparams_private_cluster: ofCluster })).toBe("success");
  const many = ["a", "b"].map((name) => ({ ...creation, name, ...given(`one of many, ${name}`) }));
  const entries = many.map(({ iallocator: _, __version__: __, ...one }) => one);
  const together = { instances: entries as never, iallocator: "hail" };
  expect(await job("POST /2/instances-multi-alloc", together)).toBe("success");
  const reserved = {
    ...creation,
    name: "later.example.com",
    hypervisor: "fake",
    forthcoming: true,
  };
  expect(await job("POST /2/instances", { ...reserved, ...given("reservation") })).toBe("success");
  const committed = given("commitment");
  expect(await job("POST /2/instances/later.example.com/create", committed)).toBe("success");

  const file = { path: "/etc/secret", content: plant("file on a node"), mode: 0o600 };
  expect(await ask("PUT /ganeti-ts/1/nodes/node1.example.com/file", file)).toBe("null\n");

  // The configuration contains the private parameters.
  const snapshot = cluster.snapshot();
  const stored = JSON.stringify([[...snapshot.instances()], snapshot.cluster]);
  for (const name of ["reinstallation", "one of many, a", "commitment", "the cluster"]) {
    expect(stored).toContain(`${mark}-private of ${name}`);
  }
  const rows = await queue.query([], ["id"]);
  jobs = rows.map((row) => (row as [JobId])[0]);

  // Those that the cluster makes for itself.
  const [mirror] = [...snapshot.disks()].filter(({ dev_type }) => dev_type === "drbd");
  secrets.add(String(mirror?.logical_id?.[5]));
  expect(await job(`PUT ${instance}/prepare-export?mode=remote`)).toBe("success");
  secrets.add(await domainSecret());
  expect([...secrets].filter((one) => one.length < 8)).toEqual([]);
});

/** The secret of clusters that trust each other: a file of the simulated master. */
async function domainSecret(): Promise<string> {
  const states = openSqliteNodeStates(server.directory.nodes, { shared: true });
  const { hosts } = await states.load();
  await states.close();
  const files = [...hosts.values()].flatMap((read) => Object.entries(read().files));
  const [, secret] = files.find(([path]) => path.endsWith("/cluster-domain-secret")) ?? [];
  return String(secret).trim();
}

test("failed jobs contain secrets", async () => {
  const path = "/2/instances/nosuch.example.com";
  for (const [line, body] of [
    [`PUT ${path}/modify`, { osparams_private: { token: plant("for nobody") } }],
    ["POST /2/instances", { ...creation, ...given("a second one") }],
    ["POST /2/instances", { ...creation, name: "c", pnode: "nosuch", ...given("nowhere") }],
    [
      "POST /2/instances",
      { ...creation, name: "d", osparams_secret: { unknown: plant("unknown") } },
    ],
    [
      `PUT ${instance}/modify`,
      { osparams: { token: "x" }, osparams_private: { token: plant("twice") } },
    ],
  ] as const) {
    expect(await job(line, body as Json)).toMatch(/^error/);
  }
});

test("refused requests contain secrets", async () => {
  const refusals = [
    ["POST /2/instances", { ...creation, osparams_secret: plant("no object") }],
    ["POST /2/instances", { ...creation, osparams_secret: [plant("a list")] }],
    ["POST /2/instances", { ...creation, nosuch: 1, ...given("an unknown parameter") }],
    ["POST /2/instances", { ...creation, mode: 5, ...given("a wrong type") }],
    ["POST /2/instances-multi-alloc", { instances: [{ ...given("few parameters") }] }],
    ["POST /2/instances-multi-alloc", { instances: [plant("no instance")] }],
    [`PUT ${instance}/modify`, { osparams_private: plant("text") }],
    ["PUT /2/modify", { osparams_private_cluster: plant("cluster text") }],
    ["PUT /2/modify", { osparams_private_cluster: { noop: plant("OS text") } }],
    ["PUT /2/modify", [plant("a list as a body")]],
  ] as const;
  for (const [line, body] of refusals)
    expect(await ask(line, body as Json)).toContain('"code":400');
  const half = Buffer.from(`{"osparams_secret": {"a": "${plant("half a body")}`);
  expect(await ask("POST /2/instances", half)).toContain('"code":400');
  const basic = (text: string) => `Basic ${btoa(text)}`;
  const headers = [
    ...[basic(`jack:${plant("wrong password")}`), basic(plant("no colon")), basic(owner).slice(6)],
    ...[`Bearer ${plant("token")}`, `Digest username="${plant("digest")}"`, basic(`rita:${hash}`)],
  ];
  for (const header of headers) expect(await ask("GET /2", undefined, header)).toContain("40");
});

test("no answer, log or metric contains a planted secret", async () => {
  const document = parseJson(await ask("GET /openapi.json")) as JsonObject;
  const names: Readonly<Record<string, string>> = {
    instance: "web.example.com",
    node: "node1.example.com",
    group: "default",
    disk: "0",
  };
  for (const [path, item] of Object.entries(document.paths as JsonObject)) {
    if (!("get" in (item as JsonObject)) || path.endsWith("/wait") || /events$/.test(path))
      continue;
    if (path.startsWith("/2/query")) continue;
    const known = path.replaceAll(/\{(\w+)\}/g, (whole, part) => names[part] ?? whole);
    for (const id of known.includes("{job}") ? jobs : [0]) {
      const real = known.replace("{job}", String(id));
      await ask(`GET ${real}`);
      await ask(`GET ${real}?bulk=1`);
    }
  }
  const { queue } = server.world;
  const kinds = ["instance", "node", "group", "network", "job", "lock", "filter", "export"];
  for (const kind of kinds) {
    const { fields } = parseJson(await ask(`GET /2/query/${kind}/fields`)) as JsonObject;
    const all = (fields as JsonObject[]).map(({ name }) => name as string);
    await ask(`PUT /2/query/${kind}`, { fields: all });
    const id = await queue.submit([{ OP_ID: "OP_QUERY", what: kind, fields: all }]);
    expect((await endOf(server, id))[0]).toBe("success");
    jobs.push(id);
  }
  const data = { OP_ID: "OP_INSTANCE_QUERY_DATA", instances: ["web.example.com"] };
  for (const opcode of [data, { OP_ID: "OP_CLUSTER_QUERY" }])
    jobs.push(await queue.submit([opcode]));
  const fields = ["id", "ops", "opresult", "oplog", "summary", "opstatus"];
  for (const id of jobs) {
    await endOf(server, id);
    await ask(`GET /2/jobs/${id}`);
    const seen = await ask(`GET /2/jobs/${id}/wait`, { fields });
    expect(seen).toContain("job_info");
  }
  await ask("GET /2/jobs?bulk=1");
  await ask("GET /metrics");
  for (const { kind, data: text } of server.world.events.since(0) ?? [])
    hear(`event ${kind}`, text);
  server = await server.again();
  await ask("GET /2/jobs?bulk=1");

  const wheres = said.map(({ where }) => where);
  expect(wheres.filter((where) => where === "log").length).toBeGreaterThan(100);
  expect(wheres.filter((where) => where.startsWith("event")).length).toBeGreaterThan(20);
  expect(JSON.stringify(said)).toContain("<redacted>");
  const forbidden = [...secrets, hash, mark];
  const found = said.flatMap(({ where, text }) =>
    forbidden.some((secret) => text.includes(secret)) ? [`${where}: ${text.slice(0, 2000)}`] : [],
  );
  expect(found).toEqual([]);
});

test("the certificate's key does not leave its file", async () => {
  const secure = await aSpecialServer({
    log: createLog("debug", { write: (line) => hear("log of TLS", line) }),
  });
  const pem = readFileSync(secure.directory.certificate, "utf8");
  const key = /PRIVATE KEY-----\n(\S{30,})/.exec(pem)?.[1] ?? "";
  expect(key).not.toBe("");
  await secure.end();
  expect(said.filter(({ text }) => text.includes(key))).toEqual([]);
});

test("ended jobs are stored without secrets", async () => {
  await server.stop();
  const { database } = server.directory;
  const bytes = [database, `${database}-wal`]
    .filter(existsSync)
    .map((file) => readFileSync(file).toString("latin1"));
  expect(bytes.filter((text) => text.includes(`${mark}-secret`)).length).toBe(0);
  const store = openSqliteStore(database);
  const kept = writeJson((await store.read(jobs)).map(({ job }) => job) as never);
  await store.close();
  expect([kept.includes("<redacted>"), kept.includes(`${mark}-secret`)]).toEqual([true, false]);
});
