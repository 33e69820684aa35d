import { describe, expect, test } from "vitest";
import { aWorld } from "./world.js";

const { ask } = await aWorld();

test.each([
  ["rita:pass word", 200],
  ["rita:8A27B7F622AD8B6F5CB580E230DDB3EC", 401],
  // Its hash is of a scheme that the server does not know.
  ["odd:password", 401],
])("passwords may be stored as hashes: %s is %i", async (user, status) => {
  expect((await ask("GET", "/2", { user })).status).toBe(status);
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

test.each([
  ["/2/nosuch", null, 401],
  ["/2/nosuch", "nobody:secret", 404],
  ["/2/jobs", "nobody:secret", 200],
])(
  "where all requests need a user, that comes first: %s as %s is %i",
  async (path, user, status) => {
    const strict = await aWorld({ requireAuthentication: true, publicMetrics: true });
    expect((await strict.ask("GET", path, { user })).status).toBe(status);
    expect((await strict.ask("GET", "/metrics", { user: null })).status).toBe(200);
  },
);

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
