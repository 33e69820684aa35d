// Conformance of the local protocol: it answers questions about one cluster like the remote API.
import { createLuxiClient, GanetiError, itemKinds, type LuxiClient } from "@ganeti-ts/luxi";
import { type JobId, type Json, type JsonObject, parseJson } from "@ganeti-ts/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sendBySocket } from "../by-socket.js";
import { withInstances } from "../instances.js";
import { aServer, type TestServer } from "../served.js";
import { askingOf, type TestWorld } from "../world.js";

let server: TestServer;
let luxi: LuxiClient;
let rapi: TestWorld["ask"];
let failed: JobId;

const opcode = (OP_ID: string, more: JsonObject) => ({ OP_ID, reason: [], ...more });

beforeAll(async () => {
  server = await aServer("--no-ssl");
  rapi = askingOf(server.world);
  luxi = createLuxiClient({ path: server.luxi.path });
  const network = { network_name: "net1", network: "10.88.0.0/24" };
  const link = { group_name: "default", network_mode: "bridged", network_link: "xen-br0" };
  const made = await luxi.submitManyJobs({
    jobs: [
      [
        opcode("OP_NETWORK_ADD", network),
        opcode("OP_NETWORK_CONNECT", { network_name: "net1", ...link }),
      ],
      [opcode("OP_TAGS_SET", { kind: "node", name: "node2.example.com", tags: ["b", "a"] })],
      [opcode("OP_TAGS_SET", { kind: "cluster", tags: ["c"] })],
    ] as never,
  });
  for (const [, id] of made) await server.cluster.queue.ended(id as JobId);
  await withInstances(server, [
    { instance_name: "one.example.com", tags: ["t"], nics: [{ ip: "pool", network: "net1" }] },
    { instance_name: "two.example.com", beparams: { memory: 512, vcpus: 2 } },
    { instance_name: "three.example.com", forthcoming: true },
  ]);
  failed = await luxi.submitJob({
    opcodes: [opcode("OP_INSTANCE_STARTUP", { instance_name: "nosuch.example.com" })] as never,
  });
  await server.cluster.queue.ended(failed);
  await server.cluster.queue.addRule({ priority: 3, action: "REJECT", predicates: [] });
  await server.cluster.queue.addRule({ priority: 2, action: ["RATE_LIMIT", 5], predicates: [] });
});
afterAll(async () => {
  luxi.close();
  await server.end();
});

const body = async (path: string): Promise<Json> => {
  const answer = await rapi("GET", path);
  expect(answer.status).toBe(200);
  return answer.body;
};

const fieldNames = async (kind: (typeof itemKinds)[number]) =>
  (await luxi.queryFields({ kind, fields: null })).fields.map(({ name }) => name);

describe.each(itemKinds)("Queries of kind %s", (kind) => {
  test("the fields are the same", async () => {
    const answer = await luxi.queryFields({ kind, fields: null });
    expect(answer.fields.length).toBeGreaterThan(1);
    expect(answer).toEqual(await body(`/2/query/${kind}/fields`));
    const named = await luxi.queryFields({ kind, fields: ["name", "nosuch"] });
    expect(named).toEqual(await body(`/2/query/${kind}/fields?fields=name,nosuch`));
  });

  test("all values of all items are the same", async () => {
    const fields = [...(await fieldNames(kind)), "nosuch"];
    const answer = await luxi.query({ kind, fields, filter: null });
    expect(answer.data.length > 0).toBe(kind !== "export" && kind !== "lock");
    expect(answer).toEqual(await body(`/2/query/${kind}?fields=${fields}`));
  });
});

const filters: readonly (readonly [
  kind: (typeof itemKinds)[number],
  field: string,
  filter: Json,
])[] = [
  ["node", "name", ["=", "role", "M"]],
  ["node", "name", ["!", ["?", "master"]]],
  [
    "node",
    "name",
    ["|", ["==", "name", "node2"], ["==", "name", "node1"], ["==", "name", "node1"]],
  ],
  ["node", "name", ["=[]", "tags", "a"]],
  ["instance", "name", ["&", [">", "be/vcpus", 1], ["=~", "name", "^t"]]],
  ["instance", "name", [">", "oper_ram", 1]],
  ["group", "name", ["=", "alloc_policy", "preferred"]],
  ["network", "name", ["==", "name", "net1"]],
  ["job", "id", ["|", ["==", "id", 1], ["==", "id", 999]]],
  ["job", "id", ["=", "status", "error"]],
  ["filter", "priority", ["<", "priority", 3]],
];
test.each(filters)("a filter selects the same items: %s %s %j", async (kind, field, filter) => {
  const answer = await luxi.query({ kind, fields: [field], filter: filter as never });
  expect(answer.data.length).toBeGreaterThan(0);
  const asked = await rapi("PUT", `/2/query/${kind}`, {
    body: { fields: [field], qfilter: filter },
  });
  expect(answer).toEqual(asked.body);
});

/** The message of a fault; the remote API writes it for pages, as Ganeti does. */
const unescaped = (fault: Json): string =>
  String((fault as JsonObject).message)
    .replaceAll("&#x27;", "'")
    .replaceAll("&quot;", '"')
    .replaceAll("&gt;", ">");

const wrongFilters: readonly (readonly [filter: Json, code: string])[] = [
  [["==", "name", "node9"], "OpPrereqError"],
  [["==", "nosuch", 1], "ParameterError"],
  [["==", "pinst_cnt", "x"], "ParameterError"],
  [["?", "name"], "ParameterError"],
];
test.each(wrongFilters)("a filter is refused in the same words: %j", async (filter, code) => {
  const error = await luxi
    .query({ kind: "node", fields: ["name"], filter: filter as never })
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(GanetiError);
  const { body } = await rapi("PUT", "/2/query/node", {
    body: { fields: ["name"], qfilter: filter },
  });
  expect([(error as GanetiError).code, (error as GanetiError).values[0]]).toEqual([
    code,
    unescaped(body),
  ]);
});

test("a regular expression that does not compile is refused in the same words", async () => {
  const filter = ["=~", "name", "("];
  const error = await luxi
    .query({ kind: "node", fields: ["name"], filter: filter as never })
    .catch((reason: Error) => reason);
  const { body } = await rapi("PUT", "/2/query/node", {
    body: { fields: ["name"], qfilter: filter },
  });
  expect((error as Error).message).toBe(unescaped(body));
});

test("the cluster describes itself alike", async () => {
  // Two keys have older names as well, which only the remote API keeps.
  const { drbd_helper, vg_name, ...info } = (await body("/2/info")) as JsonObject;
  expect(await luxi.queryClusterInfo({})).toEqual(info);
  expect(info).toMatchObject({ drbd_usermode_helper: drbd_helper, volume_group_name: vg_name });
});

test("names and values by name are those of the lists", async () => {
  for (const [method, kind] of [
    ["queryInstances", "instances"],
    ["queryNodes", "nodes"],
    ["queryGroups", "groups"],
    ["queryNetworks", "networks"],
  ] as const) {
    const listed = (await body(`/2/${kind}?bulk=1`)) as readonly JsonObject[];
    const fields = ["name", "uuid", "tags", "serial_no"];
    const rows = await luxi[method]({ names: [], fields, lock: false as never });
    expect(rows.length).toBeGreaterThan(0);
    const byName = (a: readonly Json[], b: readonly Json[]) =>
      String(a[0]) < String(b[0]) ? -1 : 1;
    const wanted = listed.map((one) => fields.map((field) => one[field] as Json));
    expect([...rows].sort(byName)).toEqual(wanted.sort(byName));
  }
});

test("tags are the same", async () => {
  for (const [kind, name, path] of [
    ["cluster", "", "/2/tags"],
    ["node", "node2.example.com", "/2/nodes/node2.example.com/tags"],
    ["instance", "one", "/2/instances/one.example.com/tags"],
    ["nodegroup", "default", "/2/groups/default/tags"],
    ["network", "net1", "/2/networks/net1/tags"],
  ] as const) {
    const tags = (await body(path)) as readonly string[];
    expect(await luxi.queryTags({ kind, name })).toEqual([...tags].sort());
  }
});

test("jobs have the same values, and those that are missing none", async () => {
  const fields = ["id", "status", "ops", "opresult", "opstatus", "oplog", "summary"];
  const ids = (await luxi.queryJobs({ ids: null, fields: ["id"] })).map(([id]) => id);
  expect(ids.length).toBeGreaterThan(5);
  const listed = (await body("/2/jobs")) as readonly JsonObject[];
  expect(ids).toEqual(listed.map(({ id }) => id));
  for (const id of [...ids, 999]) {
    const job = (await body(`/2/jobs/${id}`)) as JsonObject;
    const [row] = await luxi.queryJobs({ ids: [id as JobId], fields });
    expect(row).toEqual(fields.map((field) => job[field]));
  }
});

test("filter rules are the same", async () => {
  const fields = ["uuid", "watermark", "priority", "predicates", "action", "reason_trail"];
  const rules = (await body("/2/filters?bulk=1")) as readonly JsonObject[];
  expect(rules).toHaveLength(2);
  for (const rule of rules) {
    const [row] = await luxi.queryFilters({ uuids: [rule.uuid as string], fields });
    expect(row).toEqual(fields.map((field) => rule[field]));
  }
});

test("a wait for a job answers the same", async () => {
  const fields = ["status", "opresult"];
  const { socket: socketPath } = server.directory;
  const path = `/2/jobs/${failed}/wait`;
  const asked = await sendBySocket({ socketPath, method: "GET", path }, { fields });
  const { job_info, log_entries } = parseJson(asked.text) as JsonObject;
  const wait = { id: failed, fields, previous: null, serial: null, seconds: 1 };
  const answer = await luxi.waitForJobChange(wait as never);
  expect(answer).toEqual([job_info, log_entries]);
  expect(answer[0]).toMatchObject(["error", [["OpPrereqError", expect.any(Array)]]]);
});
