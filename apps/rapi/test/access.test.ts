import { describe, expect, test } from "vitest";
import { aWorld } from "./world.js";

const { ask } = await aWorld();
const strict = await aWorld({ requireAuthentication: true });

describe("rights of users", () => {
  test.each([
    { why: "reading needs no user", method: "GET", path: "/2/jobs", user: null, status: 200 },
    {
      why: "credentials must be right even where none are needed",
      method: "GET",
      path: "/2/jobs",
      user: "jack:no",
      status: 401,
    },
    {
      why: "a user without options may read",
      method: "GET",
      path: "/2/jobs",
      user: "nobody:secret",
      status: 200,
    },
    { why: "writing needs a user", method: "PUT", path: "/2/tags", user: null, status: 401 },
    {
      why: "a user without the option write may not write",
      method: "PUT",
      path: "/2/tags",
      user: "rita:pass word",
      status: 403,
    },
    {
      why: "a user with the option write may write",
      method: "PUT",
      path: "/2/tags?tag=a",
      user: "jack:abc123",
      status: 200,
    },
    {
      why: "queries need a reader",
      method: "GET",
      path: "/2/query/node?fields=name",
      user: null,
      status: 401,
    },
    {
      why: "a user without options may not query",
      method: "GET",
      path: "/2/query/node?fields=name",
      user: "nobody:secret",
      status: 403,
    },
    {
      why: "a reader may query",
      method: "GET",
      path: "/2/query/node?fields=name",
      user: "rita:pass word",
      status: 200,
    },
    {
      why: "a writer may query, too",
      method: "GET",
      path: "/2/query/node?fields=name",
      user: "jack:abc123",
      status: 200,
    },
    {
      why: "waiting is for writers",
      method: "GET",
      path: "/2/jobs/1/wait",
      user: "rita:pass word",
      status: 403,
    },
    {
      why: "storage is for writers",
      method: "GET",
      path: "/2/nodes/n/storage",
      user: "rita:pass word",
      status: 403,
    },
    { why: "metrics are for readers", method: "GET", path: "/metrics", user: null, status: 401 },
    {
      why: "an unknown scheme matches nothing",
      method: "GET",
      path: "/2",
      user: "odd:password",
      status: 401,
    },
    { why: "health is for all", method: "GET", path: "/healthz", user: null, status: 200 },
  ])("$why: $user $method $path is $status", async ({ method, path, user, status }) => {
    expect((await ask(method, path, { user })).status).toBe(status);
  });
});

test("a challenge names Ganeti's realm", async () => {
  const { headers } = await ask("PUT", "/2/tags", { user: null });
  expect(headers.get("www-authenticate")).toBe('Basic realm="Ganeti Remote API"');
});

describe("the header must make sense", () => {
  test.each([
    ["Basic", 400],
    ["basic", 400],
    ["Basic !!!", 401],
    [`bAsIc ${btoa("jack:abc123")}`, 200],
    [`Basic ${btoa("jack")}`, 401],
    [`Bearer ${btoa("jack:abc123")}`, 401],
    [`Digest username="jack"`, 401],
  ])("%s: %i", async (authorization, status) => {
    const { status: given } = await ask("GET", "/2", { user: null, headers: { authorization } });
    expect(given).toBe(status);
  });
});

describe("where all requests need a user, authentication comes first", () => {
  test.each([
    ["GET", "/2/jobs", null, 401],
    ["GET", "/2/nosuch", null, 401],
    ["PATCH", "/2/info", null, 401],
    ["GET", "/2/jobs", "nobody:secret", 200],
    ["GET", "/2/nosuch", "nobody:secret", 404],
    ["PATCH", "/2/info", "nobody:secret", 501],
    ["GET", "/healthz", null, 200],
    ["GET", "/openapi.json", null, 200],
    ["GET", "/", null, 200],
    ["GET", "/metrics", null, 401],
  ])("%s %s as %s: %i", async (method, path, user, status) => {
    expect((await strict.ask(method, path, { user })).status).toBe(status);
  });
});

test("public metrics stay public where all other requests need a user", async () => {
  const world = await aWorld({ requireAuthentication: true, publicMetrics: true });
  expect((await world.ask("GET", "/metrics", { user: null })).status).toBe(200);
  expect((await world.ask("GET", "/metrics", { user: "jack:no" })).status).toBe(401);
  expect((await world.ask("GET", "/2/info", { user: null })).status).toBe(401);
});

test.each([
  ["GET", "/2/os"],
  ["GET", "/2/instances/web.example.com/info"],
])("%s %s stores no job for a client without a user", async (method, path) => {
  const world = await aWorld({ executor: { run: async () => [] } });
  expect((await world.ask(method, path, { user: null })).status).toBe(401);
  expect(await world.queue.query([], ["id"])).toEqual([]);
  expect((await world.ask(method, path, { user: "nobody:secret" })).status).toBe(200);
  expect(await world.queue.query([], ["id"])).toHaveLength(1);
});

test.each([
  { why: "more fields than any table has", count: 2000, status: 400 },
  { why: "more values than a body may have", count: 1_000_000, status: 413 },
])("a query with $why is refused", async ({ count, status }) => {
  const fields = Array.from({ length: count }, () => "name");
  const answer = await ask("PUT", "/2/query/instance", { body: { fields } });
  expect(answer.status).toBe(status);
});

describe("a body that no request needs is refused before anything is made of it", () => {
  const unknownKeys = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`key${at}`, at])));
  test.each([
    { why: "keys", raw: unknownKeys(5000), status: 413, says: "more than 4096 keys" },
    { why: "depth", raw: "[".repeat(100) + "]".repeat(100), status: 413, says: "32 deep" },
    { why: "size", raw: unknownKeys(200_000), status: 413, says: "Request body too large" },
    { why: "a few unknown keys", raw: unknownKeys(3), status: 400, says: "parameter &#x27;key0" },
  ])("$why: $status $says", async ({ raw, status, says }) => {
    const headers = { "content-type": "application/json" };
    const answer = await ask("PUT", "/2/modify", { raw, headers });
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(says)]);
  });

  test("methods that take long lists take long bodies", async () => {
    const names = Array.from({ length: 60_000 }, (_, at) => `instance${at}.example.com`);
    const qfilter = ["|", ...names.map((name) => ["=", "name", name])];
    const body = { fields: ["name"], qfilter };
    expect(JSON.stringify(body).length).toBeGreaterThan(2_000_000);
    expect((await ask("PUT", "/2/query/instance", { body })).status).toBe(200);
  });
});
