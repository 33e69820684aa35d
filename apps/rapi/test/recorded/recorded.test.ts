// Recorded answers of a real Ganeti 3.0.2 to requests.json (see record.js), compared with ours.
import { readFileSync } from "node:fs";
import type { JobId, Json, JsonObject } from "@ganeti-ts/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { endOf, withInstances } from "../instances.js";
import { aServer, type TestServer } from "../served.js";
import { askingOf, type TestWorld } from "../world.js";
import { isKeyed, type Shape, shapeOf } from "./shape.js";

interface Request {
  readonly request: string;
  readonly body?: Json;
  readonly user?: string | null;
}

interface Recorded {
  readonly request: string;
  readonly status: number;
  readonly answer?: Json;
  readonly shape?: Shape;
  readonly job?: JsonObject;
}

const read = (name: string) => JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8"));
const requests: Request[] = read("requests.json");
const answers: Recorded[] = read("answers.json");

// Differences that are named in docs/differences.md: keys, and answers.

const ourKeys = new Set(["forthcoming", "default_iallocators", "stripe_size", "user-id"]);
const theirKeys = new Set(["xen_cmd"]);

const notThere = [404, "Not Found"] as const;
/** Requests that Ganeti refuses in the same words, as faults of its own; ours by number. */
const ourStatus: Readonly<Record<number, number>> = {
  9: 400,
  10: 400,
  13: 400,
  15: 400,
  16: 404,
  28: 400,
  29: 400,
};

const ourFaults: Readonly<Record<string, readonly [status: number, message: string]>> = {
  "GET /2/networks/nosuch/tags": notThere,
  "GET /2/instances/nosuch.example.com/console": notThere,
  "PUT /2/query/network": [404, "Network name nosuch not found"],
  "PUT /2/filters/nosuch": [400, "Unable to parse UUID"],
};

let server: TestServer;
let ask: TestWorld["ask"];
beforeAll(async () => {
  server = await aServer("--no-ssl", "--require-authentication");
  ask = askingOf(server.world);
  const { queue } = server.world;
  const net = { network_name: "net1", network: "10.88.0.0/24", gateway: "10.88.0.1", tags: ["a"] };
  const link = { network_name: "net1", group_name: "default", network_mode: "bridged" };
  for (const opcode of [
    { OP_ID: "OP_NETWORK_ADD", ...net, mac_prefix: "aa:00:01" },
    { OP_ID: "OP_NETWORK_CONNECT", ...link, network_link: "xen-br0" },
    { OP_ID: "OP_TAGS_SET", kind: "node", name: "node2.example.com", tags: ["a"] },
    { OP_ID: "OP_TAGS_SET", kind: "nodegroup", name: "default", tags: ["a"] },
    { OP_ID: "OP_TAGS_SET", kind: "cluster", tags: ["a"] },
  ]) {
    expect(await endOf(server, await queue.submit([opcode]))).toEqual(["success", [null]]);
  }
  await withInstances(server, [
    {
      instance_name: "one.example.com",
      tags: ["a"],
      beparams: { memory: 128, vcpus: 1 },
      nics: [{ ip: "pool", network: "net1" }],
      disks: [{ size: 1024, name: "root" }],
    },
  ]);
});
afterAll(() => server.end());

test("every request has a recorded answer", () => {
  expect(answers.map(({ request }) => request)).toEqual(requests.map(({ request }) => request));
});

test.each(answers.map((recorded, at) => ({ ...recorded, at })))(
  "$at: $request is $status",
  async ({ at, request, status, answer, shape, job }) => {
    const [method = "", path = ""] = request.split(" ");
    const ours = ourFaults[request];
    const { body, user } = requests[at] as Request;
    const given = await ask(method, path, {
      ...(body === undefined ? {} : { body }),
      ...(user === undefined ? {} : { user: userOf(user) }),
    });
    expect(given.headers.get("content-type")).toBe("application/json");
    expect(given.status).toBe(ours?.[0] ?? ourStatus[at] ?? status);
    if (ours !== undefined) return expect(given.body).toMatchObject({ message: ours[1] });
    if (ourStatus[at] !== undefined) {
      expect(given.body).toMatchObject({ message: (answer as JsonObject).message as string });
    } else if (answer !== undefined) expect(given.body).toEqual(answer);
    if (shape !== undefined) expect(missingIn(shapeOf(given.body), shape, "")).toEqual([]);
    if (job !== undefined) expect(await outcome(given.body as JobId)).toEqual(withoutUuids(job));
  },
);

const userOf = (user: string | null) => (user === "reader" ? "rita:look" : user);

async function outcome(id: JobId): Promise<Json> {
  await endOf(server, id);
  const { status, summary, opresult, oplog } = (await ask("GET", `/2/jobs/${id}`))
    .body as JsonObject;
  const log = (oplog as Json[][][]).map((entries) => entries.map(([, , ...entry]) => entry));
  return withoutUuids({ status, summary, opresult, log } as JsonObject);
}

const withoutUuids = (value: Json): Json =>
  JSON.parse(JSON.stringify(value).replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UUID"));

/** Where our shape is not Ganeti's, by path; null fits everything, on either side. */
function missingIn(given: Shape, wanted: Shape, at: string): string[] {
  if (given === null || wanted === null) return [];
  if (Array.isArray(given) && Array.isArray(wanted)) {
    return missingIn(given[0] ?? null, wanted[0] ?? null, `${at}[]`);
  }
  if (isKeyed(given) && isKeyed(wanted)) {
    const extra = Object.keys(given).filter((key) => !(key in wanted) && !ourKeys.has(key));
    return [
      ...extra.map((key) => `${at}.${key} is ours alone`),
      ...Object.entries(wanted).flatMap(([key, one]) =>
        key in given
          ? missingIn(given[key] as Shape, one, `${at}.${key}`)
          : theirKeys.has(key)
            ? []
            : [`${at}.${key} is missing`],
      ),
    ];
  }
  return given === wanted ? [] : [`${at} is ${given}, not ${wanted}`];
}
