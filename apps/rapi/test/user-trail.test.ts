// The user in reason trails: written by the server for jobs and rules of all interfaces.
import { createLuxiClient, GanetiError, type LuxiClient } from "@ganeti-ts/luxi";
import type { JobId, Json } from "@ganeti-ts/protocol";
import { openRapi } from "@ganeti-ts/rapi-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dummy } from "./instances.js";
import { aSpecialServer, type TestServer } from "./served.js";

const users = "mary abc123 read,write,full\n";
const forged: Json = [
  ["gnt:user", "why", 1],
  ["ganeti-ts:user:rita", "", 1],
];
const refusal = "written by the server alone";

let server: TestServer;
let luxi: LuxiClient;
beforeAll(async () => {
  server = await aSpecialServer({ users }, "--no-ssl");
  luxi = createLuxiClient({ path: server.luxi.path });
  // Jobs stay in the queue.
  await server.world.queue.change({ runningMax: 0 });
});
afterAll(async () => {
  luxi.close();
  await server.end();
});

/** Sends a request as mary, and gives its status and the JSON of its answer. */
async function send(method: string, path: string, body?: unknown) {
  const { status, text } = await server.ask(method, path, { user: "mary:abc123", body });
  return { status, body: JSON.parse(text) as never };
}

const sourcesOf = async (id: JobId): Promise<readonly (readonly string[])[]> => {
  const [row] = await server.world.queue.query([id], ["ops"]);
  const ops = row?.[0] as unknown as readonly { reason: readonly [string][] }[];
  return ops.map(({ reason }) => reason.map(([source]) => source));
};
const ruleOf = (uuid: string) => server.world.queue.rules.find((rule) => rule.uuid === uuid);

describe("each opcode of a request by TCP begins its trail with the user", () => {
  test("of a resource, before the reason that was given", async () => {
    const { body } = await send("PUT", "/2/tags?tag=a&reason=because");
    expect(await sourcesOf(body)).toEqual([
      ["ganeti-ts:user:mary", "gnt:user", "gnt:library:rlib2:tags", "gnt:opcode:tags_set"],
    ]);
  });

  test("of jobs of any opcodes, whatever they have as reasons", async () => {
    const jobs = [[dummy, { ...dummy, reason: [["hbal", "x", 1]] }]];
    const { body } = await send("POST", "/ganeti-ts/1/jobs", { jobs });
    const [{ id }] = body as [{ id: JobId }];
    expect(await sourcesOf(id)).toEqual([
      ["ganeti-ts:user:mary", "gnt:opcode:test_dummy"],
      ["ganeti-ts:user:mary", "hbal", "gnt:opcode:test_dummy"],
    ]);
  });

  test("of the jobs of a plan", async () => {
    const move = { OP_ID: "OP_INSTANCE_MIGRATE", instance_name: "web1.example.com" };
    const { body } = await send("POST", "/ganeti-ts/1/moves", { jobs: [[move]] });
    const [{ id }] = body as [{ id: JobId }];
    expect((await sourcesOf(id))[0]?.slice(0, 2)).toEqual([
      ...["ganeti-ts:user:mary", "gnt:library:rlib2:moves"],
    ]);
  });
});

test("local clients have no user: their jobs and rules name none", async () => {
  const opcodes = [{ ...dummy, reason: [] }];
  const id = await luxi.submitJob({ opcodes: opcodes as never });
  expect(await sourcesOf(id)).toEqual([["gnt:client", "gnt:opcode:test_dummy"]]);
  const { text } = await server.send("POST", "/ganeti-ts/1/jobs", { jobs: [[dummy]] });
  expect(await sourcesOf(JSON.parse(text)[0].id)).toEqual([["gnt:opcode:test_dummy"]]);
});

describe("a client that names a user itself is refused, in words that name the entry", () => {
  const nested = { ...dummy, submit_jobs: [[{ ...dummy, reason: forged }]] };
  test.each([
    ["in an opcode", { ...dummy, reason: forged }],
    ["in a job that an opcode submits", nested],
  ])("by TCP, %s; its other jobs are accepted", async (_, opcode) => {
    const jobs = [[opcode], [dummy]];
    const { status, body } = await send("POST", "/ganeti-ts/1/jobs", { jobs });
    const [bad, good] = body as [{ refused: string }, { id: JobId }];
    expect([status, bad.refused]).toEqual([200, expect.stringContaining(refusal)]);
    expect(bad.refused).toContain("'ganeti-ts:user:rita'");
    expect((await sourcesOf(good.id))[0]?.[0]).toBe("ganeti-ts:user:mary");
  });

  test("by the local sockets", async () => {
    const jobs = [[{ ...dummy, reason: forged }]];
    const { text } = await server.send("POST", "/ganeti-ts/1/jobs", { jobs });
    expect(text).toContain(refusal);
    const opcodes = [{ ...dummy, reason: forged }] as never;
    for (const call of [luxi.submitJob({ opcodes }), luxi.submitJobToDrainedQueue({ opcodes })]) {
      const error = await call.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(GanetiError);
      expect((error as GanetiError).code).toBe("OpPrereqError");
      expect(String((error as GanetiError).values[0])).toContain(refusal);
    }
    const [[accepted, text2]] = (await luxi.submitManyJobs({ jobs: [opcodes] })) as never as [
      [boolean, string],
    ];
    expect([accepted, text2]).toEqual([false, expect.stringContaining(refusal)]);
  });

  test("in a filter rule, by TCP and LUXI", async () => {
    const body = { priority: 5, predicates: [], action: "CONTINUE", reason: forged };
    const { status, body: answer } = await send("POST", "/2/filters", body);
    expect([status, JSON.stringify(answer)]).toEqual([400, expect.stringContaining(refusal)]);
    await expect(luxi.replaceFilter({ uuid: null, ...body } as never)).rejects.toThrow(refusal);
  });
});

test("a rule begins its trail with its user, and one who replaces it may send what was read", async () => {
  const rule = { priority: 5, predicates: [], action: "CONTINUE" };
  const uuid = (await send("POST", "/2/filters", { ...rule, reason: [["gnt:user", "x", 1]] }))
    .body as string;
  const sources = () => ruleOf(uuid)?.reason_trail.map(([source]) => source);
  expect(sources()).toEqual(["ganeti-ts:user:mary", "gnt:user", "luxid"]);
  // Times are rounded here, as in browsers.
  const { reason_trail } = (await send("GET", `/2/filters/${uuid}`)).body as {
    reason_trail: readonly (readonly unknown[])[];
  };
  const body = { ...rule, priority: 6, reason: reason_trail };
  expect((await send("PUT", `/2/filters/${uuid}`, body)).status).toBe(200);
  expect(sources()).toEqual([
    ...["ganeti-ts:user:mary", "ganeti-ts:user:mary", "gnt:user", "luxid", "luxid"],
  ]);
  const changed = reason_trail.map(([source, ...rest]) =>
    source === "ganeti-ts:user:mary" ? ["ganeti-ts:user:rita", ...rest] : [source, ...rest],
  );
  expect((await send("PUT", `/2/filters/${uuid}`, { ...body, reason: changed })).status).toBe(400);
  expect(ruleOf(uuid)?.priority).toBe(6);
});

test("the audit names the user of a job of any opcodes", async () => {
  const { body } = await send("POST", "/ganeti-ts/1/jobs", { jobs: [[dummy]] });
  const [{ id }] = body as [{ id: JobId }];
  const rapi = openRapi({ url: server.url, user: "mary", password: "abc123" });
  const { entries } = await rapi.own.audit({ cause: id });
  expect(entries).toMatchObject([{ kind: "job", id, user: "mary" }]);
});
