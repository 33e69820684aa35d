// Consoles by WebSocket: users who get one and users who do not, and the uses of a token.
import type { JsonObject } from "@ganeti-ts/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { ConsoleTokens, tokenMs } from "../src/console/tokens.js";
import { withInstances } from "./instances.js";
import { aSpecialServer, type TestServer } from "./served.js";

const users = "jack abc123 write\nkim def456 write\nrita look read\n";
const name = "web1.example.com";
const jack = "jack:abc123";

describe("consoles of simulated instances", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await aSpecialServer({ users });
    await withInstances(server, [{ instance_name: name, os_type: "debian+stable" }] as never);
  });
  afterAll(() => server?.end());

  const path = `/ganeti-ts/1/instances/${name}/console`;

  const post = (path: string, body: object, headers: Record<string, string>, of = server) =>
    of.ask("POST", path, { user: null, body, headers });
  const basic = (credentials: string) => ({ authorization: `Basic ${btoa(credentials)}` });

  async function tokenFor(credentials: string, kind = "serial", of = server): Promise<string> {
    const { status, body } = await post(path, { kind }, basic(credentials), of);
    expect(status).toBe(200);
    return (body as JsonObject).token as string;
  }

  interface Opened {
    readonly socket: WebSocket | undefined;
    /** Status of the refusal; 101 if the console opened. */
    readonly status: number;
  }

  function opened(
    protocols: string[],
    headers: Record<string, string>,
    at = "console",
    of = server,
  ) {
    const url = `${of.url.replace(/^https/, "wss")}/ganeti-ts/1/${at}`;
    const socket = new WebSocket(url, protocols, { rejectUnauthorized: false, headers });
    return new Promise<Opened>((resolve, reject) => {
      socket.on("open", () => resolve({ socket, status: 101 }));
      socket.on("unexpected-response", (_, answer) =>
        resolve({ socket: undefined, status: answer.statusCode ?? 0 }),
      );
      socket.on("error", reject);
    });
  }

  /** Resolves when the console has shown `wanted`. */
  function shown(socket: WebSocket, wanted: string): Promise<string> {
    let text = "";
    return new Promise((resolve) => {
      socket.on("message", (data) => {
        text += String(data);
        if (text.includes(wanted)) resolve(text);
      });
    });
  }

  test("a token opens a terminal that answers typed input", async () => {
    const token = await tokenFor(jack);
    const { socket } = await opened(["ganeti-console", token], basic(jack));
    if (socket === undefined) throw new Error("refused");
    expect(socket.protocol).toBe("ganeti-console");
    await shown(socket, "login: ");
    socket.send("kim\rhostname\r");
    await shown(socket, name);
    socket.close();
  });

  test("a VNC client is greeted without a password", async () => {
    const token = await tokenFor(jack, "vnc");
    const { socket } = await opened(["ganeti-console", token], basic(jack));
    if (socket === undefined) throw new Error("refused");
    await shown(socket, "RFB 003.008");
    socket.send("RFB 003.008\n");
    await shown(socket, "\x01\x01");
    socket.close();
  });

  test.each([
    ["used before", async () => [await used(), jack] as const],
    ["of another user", async () => [await tokenFor(jack), "kim:def456"] as const],
    ["made up", async () => ["x".repeat(43), jack] as const],
  ] as const)("a token that was %s is refused", async (_, prepare) => {
    const [token, credentials] = await prepare();
    expect((await opened(["ganeti-console", token], basic(credentials))).status).toBe(401);
  });

  async function used(): Promise<string> {
    const token = await tokenFor(jack);
    const { socket } = await opened(["ganeti-console", token], basic(jack));
    socket?.terminate();
    return token;
  }

  test("a refused attempt uses the token up, so that it cannot be tried with other sessions", async () => {
    const token = await tokenFor(jack);
    expect((await opened(["ganeti-console", token], basic("kim:def456"))).status).toBe(401);
    expect((await opened(["ganeti-console", token], basic(jack))).status).toBe(401);
  });

  test("a console is refused without a user, to a reader, without a token and on other paths", async () => {
    const open = async (protocols: string[], headers: Record<string, string>, at?: string) =>
      (await opened(protocols, headers, at)).status;
    const good = ["ganeti-console", await tokenFor(jack)];
    expect(await open(good, {}).catch(() => 0)).toBe(401);
    expect(await open(good, basic("jack:wrong"))).toBe(401);
    expect(await open(["ganeti-console"], basic(jack))).toBe(400);
    expect(await open(["other", "x"], basic(jack))).toBe(400);
    expect(await open(good, basic(jack), "other")).toBe(404);
    expect((await post(path, {}, basic("rita:look"))).status).toBe(403);
    expect((await post(path, {}, {})).status).toBe(401);
  });

  test("a session opens a console from the server's own page only", async () => {
    const { host } = new URL(server.url);
    const page = { host, origin: server.url, "x-ganeti-ui": "active" };
    const login = await post("/ui/session", { user: "jack", password: "abc123" }, page);
    const cookie = String(login.headers.get("set-cookie")).replace(/;.*/, "");
    const grant = async () => {
      const { body } = await post(path, { kind: "serial" }, { ...page, cookie });
      return ["ganeti-console", (body as JsonObject).token as string];
    };
    const evil = { cookie, origin: "https://evil.example.com" };
    expect((await opened(await grant(), evil)).status).toBe(403);
    expect((await opened(await grant(), { cookie })).status).toBe(403);
    const { socket, status } = await opened(await grant(), { cookie, origin: server.url });
    expect(status).toBe(101);
    socket?.terminate();
  });

  test("the console of an unknown or stopped instance is refused with the reason", async () => {
    const unknown = await post("/ganeti-ts/1/instances/none.example.com/console", {}, basic(jack));
    expect(unknown.status).toBe(404);
    await withInstances(server, [{ instance_name: "down.example.com", start: false }] as never);
    const down = await post("/ganeti-ts/1/instances/down.example.com/console", {}, basic(jack));
    expect([down.status, down.text]).toEqual([503, expect.stringContaining("start it first")]);
  });

  test("the server stops even if a console is open", async () => {
    const other = await aSpecialServer({ users });
    await withInstances(other, [{ instance_name: name }] as never);
    const token = await tokenFor(jack, "serial", other);
    const protocols = ["ganeti-console", token];
    const { socket } = await opened(protocols, basic(jack), "console", other);
    const closed = new Promise((resolve) => socket?.on("close", resolve));
    await other.end();
    expect(await closed).toBe(1001);
  });
});

test("a token expires after half a minute", () => {
  const at = { ms: 0 };
  const tokens = new ConsoleTokens(() => at.ms);
  const grant = { user: "jack", kind: "vnc", password: undefined } as never;
  const [first, second] = [tokens.issue(grant), tokens.issue(grant)];
  at.ms = tokenMs - 1;
  expect(tokens.take(first)).toMatchObject({ user: "jack" });
  expect(tokens.take(first)).toBe(undefined);
  at.ms = tokenMs;
  expect(tokens.take(second)).toBe(undefined);
});

test("at most a thousand tokens are kept; a further one replaces the oldest", () => {
  const tokens = new ConsoleTokens(() => 0);
  const grant = { user: "jack", kind: "vnc", password: undefined } as never;
  const issued = Array.from({ length: 1001 }, () => tokens.issue(grant));
  expect(tokens.take(issued[0] as string)).toBe(undefined);
  expect(tokens.take(issued[1] as string)).toBeDefined();
});
