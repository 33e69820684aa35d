// Validation of the API's description: it is valid OpenAPI 3.1, and one request to every method of
// every resource has and gets values as described.
import type { JobId, Json, JsonObject } from "@ganeti-ts/protocol";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sendBySocket } from "./by-socket.js";
import { endOf, withInstances } from "./instances.js";
import { aServer, type TestServer } from "./served.js";

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content: Content }>>;
}
type Content = Readonly<Record<string, { readonly schema: object }>>;

let server: TestServer;
let document: JsonObject;
let rule = "";
let ended: JobId;
/** A rule holds it. */
let held: JobId;

/** Query and body of each request, by method and path; both empty without an entry. */
const asked: Readonly<Record<string, { readonly query?: string; readonly body?: Json }>> = {
  "PUT /2/modify": { body: { candidate_pool_size: 10, maintain_node_health: true } },
  "PUT /2/tags": { query: "tag=a" },
  "DELETE /2/tags": { query: "tag=a" },
  "PUT /2/nodes/{node}/role": { body: "regular" },
  "POST /2/nodes/{node}/modify": { body: { ndparams: { spindle_count: 2 } } },
  "POST /2/nodes/{node}/evacuate": { body: { mode: "primary-only", iallocator: "hail" } },
  "POST /2/nodes/{node}/migrate": { body: { mode: "live" } },
  "GET /2/nodes/{node}/storage": { query: "storage_type=lvm-vg&output_fields=name,size" },
  "PUT /2/nodes/{node}/storage/modify": { query: "storage_type=lvm-pv&name=a&allocatable=1" },
  "PUT /2/nodes/{node}/storage/repair": { query: "storage_type=lvm-vg&name=a" },
  "PUT /2/nodes/{node}/tags": { query: "tag=a" },
  "DELETE /2/nodes/{node}/tags": { query: "tag=a" },
  "POST /2/groups": { body: { group_name: "other", alloc_policy: "preferred" } },
  "PUT /2/groups/{group}/modify": { body: { alloc_policy: "last_resort" } },
  "PUT /2/groups/{group}/rename": { body: { new_name: "renamed" } },
  "PUT /2/groups/{group}/assign-nodes": { body: { nodes: ["node1.example.com"] } },
  "PUT /2/groups/{group}/tags": { query: "tag=a" },
  "DELETE /2/groups/{group}/tags": { query: "tag=a" },
  "POST /2/networks": { body: { network_name: "other", network: "10.0.0.0/24", tags: ["a"] } },
  "PUT /2/networks/{network}/modify": { body: { gateway: "10.88.0.9" } },
  "PUT /2/networks/{network}/rename": { body: { new_name: "renamed" } },
  "PUT /2/networks/{network}/connect": {
    body: { group_name: "default", network_mode: "bridged", network_link: "br0" },
  },
  "PUT /2/networks/{network}/disconnect": { body: { group_name: "default" } },
  "PUT /2/networks/{network}/tags": { query: "tag=a" },
  "DELETE /2/networks/{network}/tags": { query: "tag=a" },
  "POST /2/instances": {
    body: {
      __version__: 1,
      instance_name: "new.example.com",
      mode: "create",
      iallocator: "hail",
      disks: [{ size: 1024 }],
      nics: [{}],
      disk_template: "drbd",
      os_type: "noop+default",
    },
  },
  "POST /2/instances-multi-alloc": { body: { instances: [], iallocator: "hail" } },
  "POST /2/instances/{instance}/create": { body: { start: false } },
  "POST /2/instances/{instance}/repair": { body: { ignore_ipolicy: true } },
  "POST /2/instances/{instance}/reboot": { query: "type=soft" },
  "PUT /2/instances/{instance}/shutdown": { body: { timeout: 1 } },
  "POST /2/instances/{instance}/reinstall": { body: { os: "noop+default", start: false } },
  "POST /2/instances/{instance}/replace-disks": { body: { mode: "replace_auto", disks: [0] } },
  "POST /2/instances/{instance}/recreate-disks": { body: { disks: [0] } },
  "POST /2/instances/{instance}/disk/{disk}/grow": { body: { amount: 1024 } },
  "PUT /2/instances/{instance}/prepare-export": { query: "mode=local" },
  "PUT /2/instances/{instance}/export": { body: { mode: "local", destination: "node1" } },
  "PUT /2/instances/{instance}/migrate": { body: { mode: "live" } },
  "PUT /2/instances/{instance}/failover": { body: { ignore_consistency: true } },
  "PUT /2/instances/{instance}/rename": { body: { new_name: "renamed.example.com" } },
  "PUT /2/instances/{instance}/modify": {
    body: { beparams: { maxmem: 128 }, nics: [["add", -1, { mode: "bridged" }]] },
  },
  "PUT /2/instances/{instance}/tags": { query: "tag=a" },
  "DELETE /2/instances/{instance}/tags": { query: "tag=a" },
  "GET /2/jobs/{job}/wait": { body: { fields: ["status", "summary"], previous_job_info: null } },
  "GET /2/query/{resource}": { query: "fields=name,uuid,nosuch" },
  "PUT /2/query/{resource}": {
    body: { fields: ["name", "uuid"], qfilter: ["=~", "name", "^node"] },
  },
  "POST /2/filters": { body: { priority: 5, predicates: [["jobid", [">", "id", 1]]] } },
  "PUT /2/filters/{filter}": { body: { priority: 6, action: ["RATE_LIMIT", 2], reason: [] } },
  "POST /ganeti-ts/1/explain": { body: { disks: [{ size: 1024 }], disk_template: "drbd" } },
  "POST /ganeti-ts/1/capacity": { body: { disks: [{ size: 1024 }], max_count: 3 } },
  "POST /ganeti-ts/1/filters/preview": {
    body: { rule: { predicates: [["opcode", ["=", "OP_ID", "OP_TEST_DUMMY"]]], action: "PAUSE" } },
  },
  "PUT /ganeti-ts/1/query/{resource}": { body: { fields: ["name", "nosuch"], limit: 1 } },
  "GET /ganeti-ts/1/audit": { query: "text=web&from=1" },
  "GET /ganeti-ts/1/balance": { query: "group=default" },
  "POST /ganeti-ts/1/balance": { body: { max_moves: 2 } },
  "POST /ganeti-ts/1/evacuation": { body: { nodes: ["node1.example.com"], scope: "all" } },
  "POST /ganeti-ts/1/moves": {
    body: { jobs: [[{ OP_ID: "OP_INSTANCE_FAILOVER", instance_name: "nosuch" }]] },
  },
  "POST /ganeti-ts/1/instances/{instance}/console": { body: { kind: "serial" } },
  "POST /ganeti-ts/1/jobs": { body: { jobs: [[{ OP_ID: "OP_TEST_DELAY", duration: 0 }], []] } },
  "PUT /ganeti-ts/1/queue/autoarchive": { body: { age: 1_000_000 } },
  "PUT /ganeti-ts/1/jobs/{job}/priority": { body: { priority: 10 } },
  "PUT /ganeti-ts/1/queue": { body: { drained: false } },
  "POST /ganeti-ts/1/nodes/{node}/command": { body: { command: "hostname" } },
  "PUT /ganeti-ts/1/nodes/{node}/file": { body: { path: "/etc/motd", content: "", mode: 420 } },
  "PUT /ganeti-ts/1/simulation/{node}": { body: { action: "slow", times: 1 } },
  "PUT /ganeti-ts/1/watcher": { body: { pause_until: null } },
};

beforeAll(async () => {
  server = await aServer("--no-ssl", "--groups=1");
  await withInstances(server, [
    { instance_name: "web.example.com" },
    { instance_name: "console.example.com" },
  ]);
  const { queue } = server.world;
  const network = { network_name: "net1", network: "10.88.0.0/24", tags: ["a"] };
  ended = await queue.submit([{ OP_ID: "OP_NETWORK_ADD", ...network }]);
  expect(await endOf(server, ended)).toEqual(["success", [null]]);
  const isDummy = ["opcode", ["==", "OP_ID", "OP_TEST_DUMMY"]];
  await queue.addRule({ priority: 1, predicates: [isDummy], action: "PAUSE" } as never);
  const dummy = { OP_ID: "OP_TEST_DUMMY", result: 1, messages: [], fail: false, submit_jobs: [] };
  held = await queue.submit([dummy]);
  rule = String(await queue.addRule({ priority: 99, predicates: [["jobid", ["<", "id", 1]]] }));
  document = JSON.parse((await send("GET", "/openapi.json")).text);
});
afterAll(() => server.end());

const send = (method: string, path: string, body?: Json) =>
  sendBySocket({ socketPath: server.directory.socket, method, path }, body);

/** All operations, removals last, so that every requested object exists. */
function operations() {
  const order = ["get", "put", "post", "delete"];
  return order.flatMap((method) =>
    Object.entries(document.paths as JsonObject).flatMap(([path, item]) => {
      const operation = (item as JsonObject)[method] as Operation | undefined;
      return operation === undefined ? [] : [{ method: method.toUpperCase(), path, operation }];
    }),
  );
}

// Each schema validates one value: making it faster takes longer than the validation.
const ajv = new Ajv2020({
  allowUnionTypes: true,
  validateFormats: false,
  code: { optimize: false },
});
ajv.addKeyword("components");

/** Violations of the described schema by a value. */
function faults(schema: object | undefined, value: unknown): readonly unknown[] {
  if (schema === undefined) return ["nothing is said of it"];
  const components = document.components as object;
  const validate = ajv.compile({ ...schema, components });
  return validate(value) ? [] : (validate.errors ?? []);
}

test("it is valid OpenAPI 3.1", async () => {
  const { valid, errors } = await new Validator().validate(document as never);
  expect([valid, errors]).toEqual([true, undefined]);
  expect(document.openapi).toMatch(/^3\.1/);
});

test("operations have names of their own, and paths the parameters that they have", () => {
  const ids = operations().map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const [path, item] of Object.entries(document.paths as JsonObject)) {
    const { parameters = [] } = item as { parameters?: { name: string }[] };
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(parameters.map(({ name }) => name)).toEqual(inPath);
  }
});

test("the requests of this test cover all methods", () => {
  const all = operations().map(({ method, path }) => `${method} ${path}`);
  expect(all).toEqual(expect.arrayContaining(Object.keys(asked)));
});

test("every method of every resource accepts and returns values as described", async () => {
  const names: Record<string, string> = {
    instance: "web.example.com",
    node: "node1.example.com",
    group: "default",
    network: "net1",
    disk: "0",
    resource: "node",
    filter: rule,
  };
  const wrong: unknown[] = [];
  let withBody = 0;
  for (const { method, path, operation } of operations()) {
    const { query, body } = asked[`${method} ${path}`] ?? {};
    names.job = String(path.endsWith("/why") ? held : ended);
    // Requests before it stop and rename the other one.
    names.instance = `${method === "POST" && path.endsWith("/console") ? "console" : "web"}.example.com`;
    const real = path.replaceAll(/\{(\w+)\}/g, (_, name) => names[name] as string);
    const given = (operation.parameters ?? []).map(({ name }) => name);
    const used = [...new URLSearchParams(query).keys()];
    expect(given).toEqual(expect.arrayContaining(used));
    if (body !== undefined) {
      const schema = operation.requestBody?.content["application/json"]?.schema;
      const problems = faults(schema, body);
      if (problems.length > 0) wrong.push([method, path, "body", problems]);
      withBody += 1;
    }
    for (const bulk of given.includes("bulk") ? ["bulk=0", "bulk=1"] : [query]) {
      const { status, headers, text } = await send(method, bulk ? `${real}?${bulk}` : real, body);
      const { content = {} } = operation.responses["200"] ?? {};
      const [type = ""] = Object.keys(content);
      if (status !== 200 || headers["content-type"] !== type) {
        wrong.push([method, path, status, headers["content-type"], text]);
      } else if (type === "application/json") {
        const problems = faults(content[type]?.schema, JSON.parse(text));
        if (problems.length > 0) wrong.push([method, path, problems, text]);
      }
    }
  }
  expect(wrong).toEqual([]);
  expect(withBody).toBeGreaterThan(30);
  // Every schema is compiled.
});

test("refusals are as described, too", async () => {
  const fault = { $ref: "#/components/schemas/Fault" };
  for (const [method, path, expected] of [
    ["GET", "/2/nodes/nosuch", 404],
    ["PATCH", "/2/nodes", 501],
    ["PUT", "/2/modify", 400],
  ] as const) {
    const { status, text } = await send(method, path, []);
    expect(status).toBe(expected);
    expect(faults(fault, JSON.parse(text))).toEqual([]);
  }
});

test("answers about a bare reservation, an offline node and an unknown job are as described", async () => {
  const reserved = { OP_ID: "OP_INSTANCE_CREATE", mode: "create", forthcoming: true };
  const parts = { instance_name: "later.example.com", disks: [], nics: [] };
  const id = await server.world.queue.submit([{ ...reserved, ...parts }]);
  expect((await endOf(server, id))[0]).toBe("success");
  const offline = { OP_ID: "OP_NODE_SET_PARAMS", node_name: "node4.example.com", offline: true };
  const change = await server.world.queue.submit([{ ...offline, force: true }]);
  expect((await endOf(server, change))[0]).toBe("success");
  for (const [path, resource] of [
    ["/2/instances/later.example.com", "/2/instances/{instance}"],
    ["/2/instances?bulk=1", "/2/instances"],
    ["/2/nodes/node4.example.com", "/2/nodes/{node}"],
    ["/2/nodes?bulk=1", "/2/nodes"],
    ["/2/jobs/999999999999999", "/2/jobs/{job}"],
  ] as const) {
    const { status, text } = await send("GET", path);
    expect(status).toBe(200);
    const get = operations().find((one) => one.method === "GET" && one.path === resource);
    const schema = get?.operation.responses["200"]?.content["application/json"]?.schema;
    expect({ path, text, faults: faults(schema, JSON.parse(text)) }).toMatchObject({ faults: [] });
  }
});
