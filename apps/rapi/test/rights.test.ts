// Rights required by every method of every resource in the API's description.
import type { JsonObject } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import { createServer } from "../src/server.js";
import { methodsIn, pathWith } from "./requests/methods.js";
import { aWorld } from "./world.js";

/** Each right includes those before it. */
const rights = ["anybody", "user", "read", "write", "full"] as const;
type Access = (typeof rights)[number];

/** A job that does nothing and ends at once. */
const executor = { run: async () => null };
const open = await aWorld({ executor });
const strict = await aWorld({ executor, requireAuthentication: true });

/** Rights required by Ganeti: none to read, `write` to change, and these exceptions. */
const exceptions: Readonly<Record<string, Access>> = {
  "GET /2/query/{resource}": "read",
  "PUT /2/query/{resource}": "read",
  "GET /2/instances/{instance}/console": "read",
  "GET /2/jobs/{job}/wait": "write",
  "GET /2/nodes/{node}/storage": "write",
  // Our own resources.
  "GET /2/os": "user",
  "GET /2/instances/{instance}/info": "user",
  "GET /metrics": "read",
  "GET /ganeti-ts/1/whoami": "user",
  "GET /ganeti-ts/1/jobs/{job}/why": "anybody",
  "POST /ganeti-ts/1/explain": "read",
  "POST /ganeti-ts/1/instances/{instance}/console": "write",
  "POST /ganeti-ts/1/capacity": "read",
  "POST /ganeti-ts/1/balance": "read",
  "POST /ganeti-ts/1/evacuation": "read",
  "POST /ganeti-ts/1/moves": "write",
  "POST /ganeti-ts/1/filters/preview": "read",
  "PUT /ganeti-ts/1/query/{resource}": "read",
};

function accessOf(method: string, path: string): Access {
  const known = exceptions[`${method} ${path}`];
  if (known !== undefined) return known;
  if (path.startsWith("/ganeti-ts/")) return method === "GET" ? "read" : "full";
  return method === "GET" ? "anybody" : "write";
}

/** The users, each with the highest right that it has. */
const users = [
  { who: "nobody", credentials: null, has: "anybody" },
  { who: "a user without options", credentials: "nobody:secret", has: "user" },
  { who: "a reader", credentials: "reader:look", has: "read" },
  { who: "a writer", credentials: "jack:abc123", has: "write" },
] as const;

async function statusOf(
  app: ReturnType<typeof createServer>,
  method: string,
  path: string,
  credentials: string | null,
  local = false,
): Promise<number> {
  const headers = credentials === null ? {} : { authorization: `Basic ${btoa(credentials)}` };
  const real = pathWith(path, (place) => (place === "job" || place === "disk" ? "7" : "name"));
  const response = await app.request(real, { method, headers }, { local });
  await response.body?.cancel();
  return response.status;
}

const { body: document } = await open.ask("GET", "/openapi.json", { user: null });
const operations = methodsIn(document as JsonObject).map(({ method, path }) => ({
  ...{ method, path },
  access: accessOf(method, path),
}));

test("the table has all of Ganeti's resources, and no rule for an unknown one", () => {
  expect(operations.filter(({ path }) => path.startsWith("/2")).length).toBeGreaterThan(80);
  const known = operations.map(({ method, path }) => `${method} ${path}`);
  expect(known).toEqual(expect.arrayContaining(Object.keys(exceptions)));
});

describe.each(operations)("$method $path is for $access", ({ method, path, access }) => {
  const app = createServer(open);
  test.each(users)("$who", async ({ credentials, has }) => {
    const status = await statusOf(app, method, path, credentials);
    if (rights.indexOf(access) <= rights.indexOf(has)) expect([401, 403]).not.toContain(status);
    else expect(status).toBe(credentials === null ? 401 : 403);
  });

  test("the local socket has all rights", async () => {
    expect([401, 403]).not.toContain(await statusOf(app, method, path, null, true));
  });

  test("a wrong password is refused everywhere", async () => {
    const isOpen = path === "/healthz" || path === "/openapi.json";
    for (const credentials of ["jack:wrong", "jack:", "who:abc123", "reader:abc123"]) {
      const status = await statusOf(app, method, path, credentials);
      expect(status).toBe(isOpen ? 200 : 401);
    }
  });
});

test("public metrics need no password, and nothing else becomes public", async () => {
  const app = createServer(await aWorld({ executor, publicMetrics: true }));
  expect(await statusOf(app, "GET", "/metrics", null)).toBe(200);
  expect(await statusOf(app, "GET", "/metrics", "jack:wrong")).toBe(401);
  for (const { method, path, access } of operations) {
    if (access === "anybody" || path === "/metrics") continue;
    expect(await statusOf(app, method, path, null), `${method} ${path}`).toBe(401);
  }
});

describe("with --require-authentication", () => {
  const app = createServer(strict);
  test.each(operations)("$method $path refuses anonymous requests", async ({ method, path }) => {
    // The start page says nothing about the cluster.
    const isOpen = ["/", "/healthz", "/openapi.json"].includes(path);
    expect(await statusOf(app, method, path, null)).toBe(isOpen ? 200 : 401);
  });

  test.each(operations)("nor is any other method of $path", async ({ path }) => {
    for (const method of ["PATCH", "OPTIONS", "HEAD"]) {
      expect(await statusOf(app, method, path, null)).toBe(401);
      expect(await statusOf(app, method, path, "nobody:secret")).toBe(501);
    }
  });
});
