import { describe, expect, test } from "vitest";
import { aWorld } from "./world.js";

const { ask } = await aWorld();
const strict = await aWorld({ requireAuthentication: true });

describe("who may do what", () => {
  test.each([
    { why: "reading needs nobody", method: "GET", path: "/2/jobs", user: null, status: 200 },
    {
      why: "but who says who he is must be right",
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
    { why: "writing needs somebody", method: "PUT", path: "/2/tags", user: null, status: 401 },
    { why: "who may write", method: "PUT", path: "/2/tags", user: "rita:pass word", status: 403 },
    { why: "and does", method: "PUT", path: "/2/tags?tag=a", user: "jack:abc123", status: 200 },
    {
      why: "queries need a reader",
      method: "GET",
      path: "/2/query/node?fields=name",
      user: null,
      status: 401,
    },
    {
      why: "not just anybody",
      method: "GET",
      path: "/2/query/node?fields=name",
      user: "nobody:secret",
      status: 403,
    },
    {
      why: "a reader may",
      method: "GET",
      path: "/2/query/node?fields=name",
      user: "rita:pass word",
      status: 200,
    },
    {
      why: "a writer may, too",
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

describe("where everybody must say who he is, that comes first", () => {
  test.each([
    ["GET", "/2/jobs", null, 401],
    ["GET", "/2/nosuch", null, 401],
    ["PATCH", "/2/info", null, 401],
    ["GET", "/2/jobs", "nobody:secret", 200],
    ["GET", "/2/nosuch", "nobody:secret", 404],
    ["PATCH", "/2/info", "nobody:secret", 501],
    ["GET", "/healthz", null, 200],
    ["GET", "/openapi.json", null, 200],
  ])("%s %s as %s: %i", async (method, path, user, status) => {
    expect((await strict.ask(method, path, { user })).status).toBe(status);
  });
});

test("a query for more fields than any table has is refused", async () => {
  const fields = Array.from({ length: 1_000_000 }, () => "name");
  const { status } = await ask("PUT", "/2/query/instance", { body: { fields } });
  expect(status).toBe(400);
});
