// Sessions of the page: creation, end, and protection against other sites.
import { MemoryAccessStore } from "@ganeti-ts/job-queue";
import { expect, test } from "vitest";
import { parseUsers } from "../../src/auth/users.js";
import { cookieName, idleMs } from "../../src/ui/session.js";
import { aWorld } from "../world.js";

const origin = "https://cluster.example.com:5080";
const page = { host: "cluster.example.com:5080", origin, "x-ganeti-ui": "active" };

/** A server whose clock and users file a test moves, and what a browser would send to it. */
async function aSite(access = new MemoryAccessStore()) {
  const at = { ms: 1_700_000_000_000, users: "jack abc123 write\nreader look read\n" };
  const world = await aWorld({
    executor: { run: async () => null },
    access,
    now: () => at.ms,
    users: {
      verify: (name, password) => parseUsers(at.users, () => {}).verify(name, password),
      entry: (name) => parseUsers(at.users, () => {}).entry(name),
    },
  });
  const logIn = async (user: string, password: string) => {
    const body = { user, password };
    return world.ask("POST", "/ui/session", { user: null, body, headers: page });
  };
  const cookieOf = async (user: string, password: string) =>
    (await logIn(user, password)).headers.get("set-cookie")?.split(";")[0] ?? "";
  const send = (method: string, path: string, cookie: string, headers: object = page) =>
    world.ask(method, path, { user: null, headers: { ...headers, cookie } as never });
  return { at, world, logIn, cookieOf, send };
}

test("a login answers the rights and sets a cookie that only this host's TLS pages send", async () => {
  const { logIn } = await aSite();
  const answer = await logIn("reader", "look");
  expect(answer.body).toEqual({
    user: "reader",
    rights: { read: true, write: false, full: false },
    page: null,
  });
  const cookie = answer.headers.get("set-cookie") ?? "";
  expect(cookie.startsWith(`${cookieName}=`)).toBe(true);
  expect(cookie.split("; ").slice(1)).toEqual(["Path=/", "HttpOnly", "Secure", "SameSite=Strict"]);
  expect(cookie).not.toContain("look");
});

test("a wrong password gets 401 in words, no cookie, and no dialog of the browser", async () => {
  const { logIn } = await aSite();
  const answer = await logIn("reader", "wrong");
  expect(answer.status).toBe(401);
  expect(answer.text).toContain("name or the password");
  expect(answer.headers.get("set-cookie")).toBe(null);
  expect(answer.headers.get("www-authenticate")).toBe(null);
});

test("whoami answers with the rights of a session, and never sends a challenge", async () => {
  const { send, cookieOf, world } = await aSite();
  const cookie = await cookieOf("jack", "abc123");
  const { body } = await send("GET", "/ganeti-ts/1/whoami", cookie);
  const rights = { read: true, write: true, full: false };
  expect(body).toEqual({ user: "jack", rights, page: null });
  const nobody = await world.ask("GET", "/ganeti-ts/1/whoami", { user: null });
  expect(nobody.status).toBe(401);
  expect(nobody.headers.get("www-authenticate")).toContain("Basic");
});

test("a reader's session may not change anything", async () => {
  const { send, cookieOf } = await aSite();
  const cookie = await cookieOf("reader", "look");
  expect((await send("DELETE", "/2/jobs/7", cookie)).status).toBe(403);
  expect((await send("DELETE", "/2/jobs/7", await cookieOf("jack", "abc123"))).status).not.toBe(
    403,
  );
});

test.each([
  ["without the page's header", { host: page.host, origin }],
  ["from another origin", { ...page, origin: "https://evil.example.com" }],
  ["from another port of the host", { ...page, origin: "https://cluster.example.com" }],
  ["from a sandboxed frame", { ...page, origin: "null" }],
  ["without an origin", { host: page.host, "x-ganeti-ui": "active" }],
  [
    "from another site of the same domain, without an origin",
    { host: page.host, "x-ganeti-ui": "active", "sec-fetch-site": "same-site" },
  ],
  [
    "from another origin that claims to be the same one",
    { ...page, origin: "https://evil.example.com", "sec-fetch-site": "same-origin" },
  ],
])("a change %s is refused, whichever method makes it", async (_, headers) => {
  const { send, cookieOf, world } = await aSite();
  const cookie = await cookieOf("jack", "abc123");
  for (const [method, path] of [
    ["DELETE", "/2/jobs/7"],
    ["PUT", "/2/instances/web1/startup"],
    ["POST", "/2/instances/web1/reboot"],
    // It submits a job, although it is a GET.
    ["GET", "/2/instances/web1/info"],
  ] as const) {
    expect((await send(method, path, cookie, headers)).status, `${method} ${path}`).toBe(403);
  }
  const body = { user: "jack", password: "abc123" };
  const login = await world.ask("POST", "/ui/session", { user: null, body, headers });
  expect(login.status).toBe(403);
  expect((await send("GET", "/2/jobs", cookie, headers)).status).toBe(200);
});

test("a cookie with any character changed is refused without a challenge", async () => {
  const { send, cookieOf } = await aSite();
  const cookie = await cookieOf("reader", "look");
  const start = cookieName.length + 1;
  for (let at = start; at < cookie.length; at++) {
    // The last character of Base64 has spare bits in a decoder; here the text itself counts.
    const other = cookie[at] === "A" ? "B" : "A";
    const changed = cookie.slice(0, at) + other + cookie.slice(at + 1);
    const answer = await send("GET", "/ganeti-ts/1/whoami", changed);
    expect(answer.status, changed).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe(null);
  }
  const asJack = cookie.replace(/=[\w-]+/, `=${btoa("jack").replaceAll("=", "")}`);
  expect((await send("GET", "/ganeti-ts/1/whoami", asJack)).status).toBe(401);
  for (const broken of ["", "x", "..", "a.b.c", "a.1.2.3"]) {
    const answer = await send("GET", "/ganeti-ts/1/whoami", `${cookieName}=${broken}`);
    expect(answer.status, broken).toBe(401);
  }
});

test("a session ends after half an hour without activity, and lasts while the user is active", async () => {
  const { at, send, cookieOf } = await aSite();
  let cookie = await cookieOf("reader", "look");
  at.ms += idleMs - 1;
  const late = await send("GET", "/ganeti-ts/1/whoami", cookie);
  expect(late.status).toBe(200);
  const old = cookie;
  cookie = late.headers.get("set-cookie")?.split(";")[0] ?? "";
  at.ms += 1;
  expect((await send("GET", "/ganeti-ts/1/whoami", old)).status).toBe(401);
  expect((await send("GET", "/ganeti-ts/1/whoami", cookie)).status).toBe(200);
});

test("requests that the page makes by itself do not prolong a session", async () => {
  const { at, send, cookieOf } = await aSite();
  const cookie = await cookieOf("reader", "look");
  at.ms += idleMs - 1;
  const answer = await send("GET", "/2/jobs", cookie, { ...page, "x-ganeti-ui": "idle" });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("set-cookie")).toBe(null);
});

test.each([
  ["the password", "jack abc123 write\nreader other read\n"],
  ["the rights", "jack abc123 write\nreader look write\n"],
  ["the whole line", "jack abc123 write\n"],
])("a change of %s ends the sessions of its user alone", async (_, users) => {
  const { at, send, cookieOf } = await aSite();
  const reader = await cookieOf("reader", "look");
  const jack = await cookieOf("jack", "abc123");
  at.users = users;
  expect((await send("GET", "/ganeti-ts/1/whoami", reader)).status).toBe(401);
  expect((await send("GET", "/ganeti-ts/1/whoami", jack)).status).toBe(200);
});

test("a logout removes the cookie", async () => {
  const { send, cookieOf } = await aSite();
  const answer = await send("DELETE", "/ui/session", await cookieOf("jack", "abc123"));
  expect(answer.headers.get("set-cookie")).toContain("Max-Age=0");
});

test("after a logout neither the cookie nor an earlier one of the session is accepted, by any server on the store", async () => {
  const access = new MemoryAccessStore();
  const [one, other] = [await aSite(access), await aSite(access)];
  const first = await one.cookieOf("jack", "abc123");
  const elsewhere = await one.cookieOf("jack", "abc123");
  for (const { at } of [one, other]) at.ms += idleMs - 1;
  const newer = (await one.send("GET", "/ganeti-ts/1/whoami", first)).headers.get("set-cookie");
  const cookie = newer?.split(";")[0] ?? "";
  expect(cookie).toContain(cookieName);
  expect((await other.send("GET", "/ganeti-ts/1/whoami", first)).status).toBe(200);

  expect((await one.send("DELETE", "/ui/session", cookie)).status).toBe(200);
  for (const { send } of [one, other]) {
    for (const dead of [cookie, first]) {
      const answer = await send("GET", "/ganeti-ts/1/whoami", dead);
      expect([answer.status, answer.text]).toEqual([401, expect.stringContaining("has ended")]);
      expect(answer.headers.get("set-cookie")).toBe(null);
      expect((await send("DELETE", "/2/jobs/7", dead)).status).toBe(401);
    }
    // Another session of the same user goes on.
    expect((await send("GET", "/ganeti-ts/1/whoami", elsewhere)).status).toBe(200);
  }
});

test("the record of a logout is dropped once the cookie has run out by itself", async () => {
  const access = new MemoryAccessStore();
  const { at, send, cookieOf } = await aSite(access);
  const cookie = await cookieOf("jack", "abc123");
  const session = cookie.split(".")[1] ?? "";
  await send("DELETE", "/ui/session", cookie);
  at.ms += idleMs;
  await send("DELETE", "/ui/session", await cookieOf("reader", "look"));
  expect(await access.isEnded(session)).toBe(true);
  at.ms += idleMs;
  await send("DELETE", "/ui/session", await cookieOf("reader", "look"));
  expect(await access.isEnded(session)).toBe(false);
  expect((await send("GET", "/ganeti-ts/1/whoami", cookie)).status).toBe(401);
});

test("a logout with a forged cookie, or from another site, ends no session", async () => {
  const { send, cookieOf } = await aSite();
  const cookie = await cookieOf("jack", "abc123");
  const forged = cookie.replace(/\.\d+\./, ".1700000000001.");
  expect((await send("DELETE", "/ui/session", forged)).status).toBe(200);
  const evil = { ...page, origin: "https://evil.example.com" };
  expect((await send("DELETE", "/ui/session", cookie, evil)).status).toBe(403);
  expect((await send("GET", "/ganeti-ts/1/whoami", cookie)).status).toBe(200);
});

test("a request of the page without a session is refused without a challenge", async () => {
  const { world } = await aSite();
  const answer = await world.ask("GET", "/ganeti-ts/1/whoami", { user: null, headers: page });
  expect(answer.status).toBe(401);
  expect(answer.headers.get("www-authenticate")).toBe(null);
});
