// Names that every JavaScript object inherits, in all places where clients send names: they are unknown like any other.
import { type Json, type JsonObject, opcodeCatalog } from "@ganeti-ts/protocol";
import { isThorough } from "@ganeti-ts/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLog } from "../src/log.js";
import { endOf } from "./instances.js";
import { type Method, methodsIn, pathWith } from "./requests/methods.js";
import { aSpecialServer, type TestServer } from "./served.js";

const inherited = ["__proto__", "constructor", ...(isThorough ? ["toString"] : [])];

/** Traces of a lookup that found what objects inherit, or of a value of which a method was missing. */
const innards = /native code|is not a function|Cannot read properties|is not iterable|\[object /;

const logged: string[] = [];
let server: TestServer;

beforeAll(async () => {
  const log = createLog("info", { write: (line) => void logged.push(line) });
  server = await aSpecialServer({ log }, "--no-ssl", "--groups=1");
});
afterAll(() => server.end());

/** `{ "__proto__": value }` as a key of its own, which a literal would not give. */
const objectOf = (name: string, value: Json): Json =>
  Object.defineProperty({}, name, { value, enumerable: true }) as JsonObject;

/** Requests that failed inside the server, and answers that reveal its internals. */
async function faultsOf(requests: Iterable<readonly [string, string, Json?]>) {
  const wrong: unknown[] = [];
  let count = 0;
  for (const [method, path, body] of requests) {
    logged.length = 0;
    const { status, text } = await server.send(method, path, body);
    const failed = logged.filter((line) => line.includes("request failed"));
    if (failed.length > 0 || innards.test(text)) wrong.push([method, path, body, status, text]);
    count += 1;
  }
  return { wrong, count };
}

/** The method with the name in each place of its path, its query and its body. */
function requestsWith(name: string, { method, path, operation }: Method) {
  const real = pathWith(path, (place) => (place === "job" || place === "disk" ? "1" : name));
  const words = operation.parameters?.map((one) => `${one.name}=${name}`) ?? [];
  const bodies = [name, [name], objectOf(name, name), objectOf(name, objectOf(name, {}))];
  return [
    [method, real] as const,
    [method, `${real}?${words.join("&")}`] as const,
    ...(operation.requestBody ? bodies : []).map((body) => [method, real, body] as const),
  ];
}

test.each(inherited)("no resource takes %s for a known name", async (name) => {
  const { body: document } = await server.ask("GET", "/openapi.json");
  const methods = methodsIn(document as JsonObject).filter(({ path }) => !path.endsWith("/events"));
  const { wrong, count } = await faultsOf(methods.flatMap((one) => requestsWith(name, one)));
  expect(wrong).toEqual([]);
  expect(count).toBeGreaterThan(200);
});

test.each(inherited)("queries and filter rules take %s for an unknown name", async (name) => {
  const kinds = ["node", "instance", "group", "network", "export", "job", "lock", "filter"];
  const query = (body: Json) => kinds.map((kind) => ["PUT", `/2/query/${kind}`, body] as const);
  const predicate = (leaf: Json) =>
    ["opcode", "reason", "jobid"].map(
      (kind) => ["POST", "/2/filters", { predicates: [[kind, leaf]] }] as const,
    );
  const { wrong } = await faultsOf([
    ...query({ fields: [name] }),
    ...query({ fields: ["name"], qfilter: [name, "name", "a"] }),
    ...query({ fields: ["name"], qfilter: ["==", name, "a"] }),
    ...query({ fields: ["name"], qfilter: ["==", "name", name] }),
    ...predicate(["==", name, 1]),
    ...predicate([name, "OP_ID", 1]),
    ["POST", "/2/filters", { predicates: [[name, ["==", "id", 1]]] }],
    ["POST", "/2/filters", { predicates: [], action: name }],
    ["POST", "/2/filters", { predicates: [], action: [name, 1] }],
    ["POST", "/ganeti-ts/1/jobs", { jobs: [[{ OP_ID: name }]] }],
  ]);
  expect(wrong).toEqual([]);
});

/** Required parameters, so that the others are checked. */
const needed: JsonObject = {
  instance_name: "web.example.com",
  node_name: "node1.example.com",
  group_name: "default",
  os_type: "noop",
  mode: "create",
  disks: [],
  nics: [],
  kind: "cluster",
  name: "web.example.com",
  tags: [],
};

test.each(inherited)("jobs whose parameters are %s fail as with any other name", async (name) => {
  const values = [name, objectOf(name, objectOf(name, name))];
  // Opcodes that would end the cluster or act on the machine of the test.
  const left = ["OP_CLUSTER_DESTROY", "OP_RESTRICTED_COMMAND", "OP_OOB_COMMAND"];
  const wrong: unknown[] = [];
  let submitted = 0;
  let turn = inherited.indexOf(name);
  for (const [id, { schema }] of Object.entries(opcodeCatalog)) {
    if (left.includes(id) || id.startsWith("OP_TEST_")) continue;
    const shape = Object.keys(schema.shape);
    const base = Object.fromEntries(Object.entries(needed).filter(([key]) => shape.includes(key)));
    for (const parameter of shape) {
      if (["OP_ID", "depends", "debug_level", "dry_run"].includes(parameter)) continue;
      // One of them in turn, which is the other one for the next name; or all.
      turn += 1;
      for (const value of values.filter((_, at) => isThorough || at === turn % 2)) {
        const opcode = { ...base, [parameter]: value, OP_ID: id, dry_run: true };
        const { status, text } = await server.send("POST", "/ganeti-ts/1/jobs", {
          jobs: [[opcode]],
        });
        if (innards.test(text) || status === 500) wrong.push([opcode, text]);
        for (const job of status === 200 ? JSON.parse(text) : []) {
          const jobId = Array.isArray(job) ? job[1] : (job.id ?? job);
          if (typeof jobId !== "number") continue;
          submitted += 1;
          const result = JSON.stringify(await endOf(server, jobId as never));
          if (innards.test(result)) wrong.push([opcode, result]);
        }
      }
    }
  }
  expect(wrong).toEqual([]);
  expect(submitted).toBeGreaterThan(50);
});
