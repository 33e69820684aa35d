// Validation of the API's description: it is valid OpenAPI 3.1, and one request to every method of
// every resource has and gets values as described.
import type { JobId, JsonObject } from "@ganeti-ts/protocol";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { done, dummy, endOf, withInstances } from "./instances.js";
import { methodsIn, pathWith } from "./requests/methods.js";
import { requestsIn } from "./requests/requests-in.js";
import { aServer, type TestServer } from "./served.js";

let server: TestServer;
let document: JsonObject;
let rule = "";
let ended: JobId;
/** A rule holds it. */
let held: JobId;

/** Query and body of each request, by method and path; both empty without an entry. */
const asked = new Map(
  requestsIn("each-method.txt").map(({ method, path, body }) => {
    const [resource, query] = path.split("?");
    return [`${method} ${resource}`, { query, body }] as const;
  }),
);

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
  held = await queue.submit([dummy]);
  rule = String(await queue.addRule({ priority: 99, predicates: [["jobid", ["<", "id", 1]]] }));
  document = (await server.ask("GET", "/openapi.json")).body as JsonObject;
});
afterAll(() => server.end());

/** All operations, removals last, so that every requested object exists. */
const operations = () => methodsIn(document);

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
  expect(all).toEqual(expect.arrayContaining([...asked.keys()]));
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
    const { query, body } = asked.get(`${method} ${path}`) ?? {};
    names.job = String(path.endsWith("/why") ? held : ended);
    // Requests before it stop and rename the other one.
    names.instance = `${method === "POST" && path.endsWith("/console") ? "console" : "web"}.example.com`;
    const real = pathWith(path, (place) => names[place] as string);
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
      const { status, headers, text } = await server.send(
        method,
        bulk ? `${real}?${bulk}` : real,
        body,
      );
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
});

test("refusals are as described, too", async () => {
  const fault = { $ref: "#/components/schemas/Fault" };
  for (const [method, path, expected] of [
    ["GET", "/2/nodes/nosuch", 404],
    ["PATCH", "/2/nodes", 501],
    ["PUT", "/2/modify", 400],
  ] as const) {
    const { status, text } = await server.send(method, path, []);
    expect(status).toBe(expected);
    expect(faults(fault, JSON.parse(text))).toEqual([]);
  }
});

test("answers about a bare reservation, an offline node and an unknown job are as described", async () => {
  const reserved = { OP_ID: "OP_INSTANCE_CREATE", mode: "create", forthcoming: true };
  const parts = { instance_name: "later.example.com", disks: [], nics: [] };
  await done(server, { ...reserved, ...parts });
  const offline = { OP_ID: "OP_NODE_SET_PARAMS", node_name: "node4.example.com", offline: true };
  await done(server, { ...offline, force: true });
  for (const [path, resource] of [
    ["/2/instances/later.example.com", "/2/instances/{instance}"],
    ["/2/instances?bulk=1", "/2/instances"],
    ["/2/nodes/node4.example.com", "/2/nodes/{node}"],
    ["/2/nodes?bulk=1", "/2/nodes"],
    ["/2/jobs/999999999999999", "/2/jobs/{job}"],
  ] as const) {
    const { status, text } = await server.send("GET", path);
    expect(status).toBe(200);
    const get = operations().find((one) => one.method === "GET" && one.path === resource);
    const schema = get?.operation.responses["200"]?.content["application/json"]?.schema;
    expect({ path, text, faults: faults(schema, JSON.parse(text)) }).toMatchObject({ faults: [] });
  }
});
