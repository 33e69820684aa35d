// Jobs, locks and filter rules as queries see them: by the API, and by jobs that ask.
import type { JobId, Json, JsonObject } from "@ganeti-ts/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { done, endOf } from "./instances.js";
import { aServer, type TestServer } from "./served.js";
import type { TestWorld } from "./world.js";

let server: TestServer;
const ask: TestWorld["ask"] = (...request) => server.ask(...request);
beforeAll(async () => {
  server = await aServer("--no-ssl");
});
afterAll(() => server.end());

const delay = { OP_ID: "OP_TEST_DELAY", duration: 0.001 };

const resultOf = async (opcode: JsonObject) => (await done(server, opcode)) as JsonObject;

describe("a query by a job returns the same as one by the API", () => {
  test.each(["job", "lock", "filter"])("which fields a %s has", async (what) => {
    const { body } = await ask("GET", `/2/query/${what}/fields`);
    expect(await resultOf({ OP_ID: "OP_QUERY_FIELDS", what })).toEqual(body);
  });

  test("a query by a job returns jobs", async () => {
    const done = await server.world.queue.submit([delay]);
    await endOf(server, done);
    const qfilter = ["==", "id", done];
    const fields = ["id", "status", "summary", "archived"];
    expect(await resultOf({ OP_ID: "OP_QUERY", what: "job", fields, qfilter })).toMatchObject({
      data: [
        [
          [0, done],
          [0, "success"],
          [0, ["TEST_DELAY(1.0e-3)"]],
          [0, false],
        ],
      ],
    });
  });

  test("a query by a job returns locks, including its own", async () => {
    const fields = ["name", "mode", "owner"];
    const { data } = await resultOf({ OP_ID: "OP_QUERY", what: "lock", fields });
    expect(data).toContainEqual([
      [0, "cluster/BGL"],
      [0, "shared"],
      [0, [expect.stringMatching(/^\d+$/)]],
    ]);
  });

  test("a query by a job returns filter rules", async () => {
    const rule = { priority: 3, predicates: [["jobid", ["!=", "id", 7]]], action: "ACCEPT" };
    const { body: uuid } = await ask("POST", "/2/filters", { body: rule });
    const fields = ["uuid", "priority", "predicates", "action"];
    const inJob = await resultOf({ OP_ID: "OP_QUERY", what: "filter", fields });
    const { body } = await ask("PUT", "/2/query/filter", { body: { fields } });
    expect(inJob).toEqual(body);
    expect(inJob.data).toEqual([
      [
        [0, uuid],
        [0, 3],
        [0, [["jobid", ["!", ["==", "id", 7]]]]],
        [0, "ACCEPT"],
      ],
    ]);
  });
});

describe("archived jobs", () => {
  let id: JobId;
  beforeAll(async () => {
    const { queue } = server.world;
    id = await queue.submit([delay]);
    await endOf(server, id);
    expect(await queue.archive(id)).toBe(true);
  });

  const idsIn = (body: Json) =>
    ((body as JsonObject).data as Json[][]).map((row) => (row[0] as Json[])[1]);

  test("an archived job is in no list", async () => {
    const { text } = await ask("GET", "/2/jobs");
    expect(text).not.toContain(`"/2/jobs/${id}"`);
    const { body } = await ask("GET", "/2/jobs?bulk=1");
    expect((body as JsonObject[]).map((job) => job.id)).not.toContain(id);
    expect(idsIn((await ask("GET", "/2/query/job?fields=id")).body)).not.toContain(id);
  });

  test("lists with the field archived include archived jobs, in order", async () => {
    const { body } = await ask("GET", "/2/query/job?fields=id,archived");
    const ids = idsIn(body) as number[];
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect((body as JsonObject).data).toContainEqual([
      [0, id],
      [0, true],
    ]);
    expect(ids.length).toBeGreaterThan(1);
  });

  test("an archived job is shown by its id with its former values", async () => {
    expect((await ask("GET", `/2/jobs/${id}`)).body).toMatchObject({ id, status: "success" });
    const qfilter = ["==", "id", id];
    const asked = await ask("PUT", "/2/query/job", { body: { fields: ["status"], qfilter } });
    expect(asked.body).toMatchObject({ data: [[[0, "success"]]] });
  });

  test("an archived job cannot be waited for or canceled", async () => {
    await expect(endOf(server, id)).rejects.toThrow(`Job with id ${id} lost`);
    expect((await ask("DELETE", `/2/jobs/${id}`)).body).toEqual([
      ...[false, `Job ${id} not found in queue`],
    ]);
  });
});

test("an unknown job has no values in a query by id", async () => {
  const body = { fields: ["id", "status"], qfilter: ["==", "id", 999999] };
  expect((await ask("PUT", "/2/query/job", { body })).body).toMatchObject({
    data: [
      [
        [0, 999999],
        [3, null],
      ],
    ],
  });
});
