import { describe, expect, test } from "vitest";
import { aWorld, faultText } from "./world.js";

const notFound = "404 Not Found: Nothing matches the given URI";
const badRequest = "Bad request syntax or unsupported method";
const { ask } = await aWorld();

test("an answer is JSON with a newline at its end", async () => {
  const { status, text, headers } = await ask("GET", "/version", { user: null });
  expect([status, text, headers.get("content-type")]).toEqual([200, "2\n", "application/json"]);
});

test("a browser gets a page with links at the root, programs get null", async () => {
  const page = await ask("GET", "/", { user: null, headers: { accept: "text/html,*/*;q=0.8" } });
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  const paths = [...page.text.matchAll(/href="([^"]+)"/g)].map(([, path]) => path ?? "");
  expect(paths).toContain("/openapi.json");
  for (const path of paths) expect([path, (await ask("GET", path)).status]).toEqual([path, 200]);
  for (const accept of ["*/*", "application/json", ""]) {
    expect((await ask("GET", "/", { headers: { accept } })).body).toBe(null);
  }
});

test("answers are not stored, and their types not guessed", async () => {
  for (const [path, kept] of [
    ["/2/info", "no-store"],
    ["/2/nodes", "no-store"],
    ["/2/nosuch", "no-store"],
    ["/openapi.json", null],
  ] as const) {
    const { headers } = await ask("GET", path);
    expect([path, headers.get("cache-control")]).toEqual([path, kept]);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("strict-transport-security")).toBe(null);
  }
});

describe("a path is found, or it is not", () => {
  test.each([
    ["/", 200],
    ["/2", 200],
    ["/2/", 200],
    ["/2/jobs/", 200],
    ["//2/jobs", 404],
    ["/2//jobs", 404],
    ["/3", 404],
    ["/2/nosuch", 404],
    ["/2/jobs/abc", 404],
    ["/2/jobs/9999999999999999", 404],
    ["/2/jobs/7", 200],
    ["/2/instances/a%20b/tags", 404],
    ["/2/filters/..%2f..%2fusers", 404],
    ["/2/../etc/passwd", 404],
    ["/2/tags/x", 404],
    ["/%32/tags", 200],
  ])("%s: %i", async (path, status) => {
    expect((await ask("GET", path)).status).toBe(status);
  });
});

describe("a method that a resource lacks is 501, after the path and before the user", () => {
  test.each(["POST", "PATCH", "OPTIONS", "DELETE", "PUT"])("%s /2/info", async (method) => {
    const answer = await ask(method, "/2/info", { user: null });
    expect(faultText(answer)).toBe(
      `501 Method ${method} is unsupported for path /2/info: Server does not support this operation`,
    );
  });
  test("HEAD has the status without a body", async () => {
    const { status, text } = await ask("HEAD", "/2/info");
    expect([status, text]).toEqual([501, ""]);
  });
  test("an unknown path is 404 whatever the method", async () => {
    expect(faultText(await ask("PATCH", "/2/nosuch"))).toBe(notFound);
  });
  test.each(["constructor", "toString", "__proto__", "hasOwnProperty"])(
    "the method %s is none, whatever objects have",
    async (method) => {
      expect((await ask(method, "/2/info")).status).toBe(501);
      expect((await ask(method, "/2/instances/web")).status).toBe(501);
      expect((await ask(method, "/2/nosuch")).status).toBe(404);
    },
  );
});

describe("a body must be JSON that is declared as such", () => {
  const send = (body: string, type?: string) =>
    ask("POST", "/2/instances", {
      headers: type === undefined ? {} : { "content-type": type },
      raw: body,
    });
  test.each([
    { body: "{}", type: "text/plain", status: 415 },
    { body: "{}", type: undefined, status: 415 },
    { body: "{}", type: "Application/JSON; charset=utf-8", status: 400 },
    { body: "{", type: "application/json", status: 400 },
    { body: "\ufffd\u0000", type: "application/json", status: 400 },
    { body: "", type: undefined, status: 400 },
  ])("$body as $type: $status", async ({ body, type, status }) => {
    expect((await send(body, type)).status).toBe(status);
  });
  test("a body that is not JSON is refused with the reason", async () => {
    expect(faultText(await send("nope", "application/json"))).toBe(
      `400 Unable to parse JSON data: ${badRequest}`,
    );
  });
});

describe("booleans of the query are whole numbers", () => {
  test.each([
    ["bulk=1", 200],
    ["bulk=0", 200],
    ["bulk=", 200],
    ["bulk=%2B1", 200],
    ["bulk=true", 400],
    ["bulk=1.0", 400],
  ])("%s: %i", async (query, status) => {
    const answer = await ask("GET", `/2/jobs?${query}`);
    expect(answer.status).toBe(status);
    if (status === 400) {
      expect(faultText(answer)).toBe(
        `400 Invalid value for the &#x27;bulk&#x27; parameter: ${badRequest}`,
      );
    }
  });
});
