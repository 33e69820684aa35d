// Bodies of every form, sent to every method of every resource: refusals name the client's fault.
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { methodsIn, pathWith } from "./requests/methods.js";
import { aServer, type TestServer } from "./served.js";

let server: TestServer;

beforeAll(async () => {
  server = await aServer("--no-ssl", "--groups=1");
  // The queue is drained, so that it refuses jobs after their bodies have been read.
  expect((await server.send("PUT", "/ganeti-ts/1/queue", { drained: true })).status).toBe(200);
});
afterAll(() => server.end());

const names: Readonly<Record<string, string>> = {
  ...{ instance: "web", node: "node1.example.com", group: "default", network: "net1", disk: "0" },
  ...{ job: "1", resource: "node", filter: "00000000-0000-4000-8000-000000000001" },
};

async function methods(): Promise<(readonly [method: string, path: string])[]> {
  const { body: document } = await server.ask("GET", "/openapi.json");
  return methodsIn(document as JsonObject).map(
    ({ method, path }) => [method, pathWith(path, (place) => names[place] ?? "x")] as const,
  );
}

const bodies: readonly (Json | Buffer | undefined)[] = [
  ...[undefined, null, true, 7, -1.5, "text", [], [null], [[]], {}, { "": null }],
  ...[Buffer.from("{"), Buffer.from([0xff, 0xfe]), Buffer.from("[".repeat(5000))],
];

test("no method answers a body of any form with a fault of the server", async () => {
  const all = await methods();
  const faults: unknown[] = [];
  for (const [method, path] of all) {
    for (const body of bodies) {
      const { status, text } = await server.send(method, path, body);
      if (status === 500) faults.push([method, path, String(body), text]);
    }
  }
  expect(faults).toEqual([]);
  expect(all.length).toBeGreaterThan(100);
});

test("no method accepts a body that is too long", async () => {
  const headers = { "content-length": String(20 * 1024 * 1024) };
  const taken: unknown[] = [];
  for (const [method, path] of await methods()) {
    const { status } = await server.send(method, path, undefined, headers);
    if (status < 400 || status === 500) taken.push([method, path, status]);
  }
  expect(taken).toEqual([]);
});

test.each([
  [undefined, "The body has to be an object with 'fields'; there is none"],
  [[], "The body has to be an object with 'fields', and is of the type 'list'"],
  ["fields", "The body has to be an object with 'fields', and is of the type 'str'"],
  [{}, "Required parameter 'fields' is missing"],
])(
  "a wait for a job with the body %j is refused, and the missing part is named",
  async (body, text) => {
    const { status, text: answer } = await server.send("GET", "/2/jobs/1/wait", body);
    const { message } = JSON.parse(answer) as { message: string };
    expect([status, message.replaceAll("&#x27;", "'")]).toEqual([400, text]);
  },
);
