// Behaviour that only shows on a socket: bodies of any method, limits, the local socket, TLS.
import { chmodSync, rmSync, statSync } from "node:fs";
import { connect, Server } from "node:net";
import { type ConnectionOptions, type TLSSocket, connect as tlsConnect } from "node:tls";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openDataDirectory } from "../src/program/data-directory.js";
import { sendBySocket } from "./by-socket.js";
import { aServer, type TestServer } from "./served.js";

let server: TestServer;
let plain: TestServer;
beforeAll(async () => {
  [server, plain] = await Promise.all([aServer(), aServer("--no-ssl")]);
});
afterAll(() => Promise.all([server.end(), plain.end()]));

const authorization = `Basic ${btoa("jack:abc123")}`;

const send = (options: Parameters<typeof sendBySocket>[0], body?: string | Buffer) =>
  sendBySocket(
    { host: "127.0.0.1", port: plain.port, ...options },
    typeof body === "string" ? Buffer.from(body) : body,
  );
const sendSecurely = (options: Parameters<typeof sendBySocket>[0]) =>
  send({ protocol: "https:", port: server.port, ...options });

/** The server's answer to bytes that Node cannot parse as a request. */
function raw(bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(plain.port, "127.0.0.1", () => socket.write(bytes));
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("close", () => resolve(text)).on("error", () => {});
    setTimeout(() => socket.destroy(), 300);
  });
}

describe("bodies", () => {
  test("a GET may have a body", async () => {
    const id = await plain.world.queue.submit([{ OP_ID: "OP_TEST_DELAY", duration: 0 }]);
    const body = JSON.stringify({ fields: ["id"], previous_job_info: null });
    const path = `/2/jobs/${id}/wait`;
    const { status, text } = await send({ path, headers: { authorization } }, body);
    expect([status, JSON.parse(text).job_info]).toEqual([200, [id]]);
  });

  test("a body of text names fields", async () => {
    const body = JSON.stringify({ fields: ["id", {}] });
    const path = "/2/jobs/1/wait";
    const { status, text } = await send({ path, headers: { authorization } }, body);
    expect([status, JSON.parse(text).message]).toEqual([
      ...[400, "The &#x27;fields&#x27; parameter should be a list of names"],
    ]);
  });

  test("a body may come in chunks, after 100 Continue", async () => {
    const headers = { authorization, expect: "100-continue", "transfer-encoding": "chunked" };
    const { status } = await send({ method: "PUT", path: "/2/tags", headers }, '["a"]');
    expect(status).toBe(200);
  });

  test("bodies of more than 10 MiB are refused, declared or not", async () => {
    const large = Buffer.alloc(11 * 1024 * 1024, " ");
    const answerTo = (more: Record<string, string>, body?: Buffer) => {
      const headers = { authorization, ...more };
      return send({ method: "POST", path: "/2/instances", headers }, body).catch(() => undefined);
    };
    const declared = await answerTo({ "content-length": "99999999" });
    const chunked = await answerTo({ "transfer-encoding": "chunked" }, large);
    // A client that is still sending may find the connection closed before it reads the answer.
    for (const answer of [declared, chunked]) {
      if (answer !== undefined)
        expect(JSON.parse(answer.text).message).toBe("Request body too large");
    }
    expect((await send({ path: "/2" })).status).toBe(200);
  });

  test("bodies with deep nesting are refused without recursion", async () => {
    const request = { method: "PUT", path: "/2/modify", headers: { authorization } };
    const { status } = await send(request, "[".repeat(1e6));
    expect(status).toBe(413);
  });

  test("keys of JavaScript's own objects are plain parameters", async () => {
    const body = '{"__proto__": {"x": 1}, "constructor": 1}';
    const request = { method: "PUT", path: "/2/modify", headers: { authorization } };
    const { status, text } = await send(request, body);
    expect([status, JSON.parse(text).message]).toEqual([400, expect.stringContaining("parameter")]);
    expect(({} as { x?: number }).x).toBeUndefined();
  });
});

/** A request whose answer ends the connection. */
const get = (path: string, ...more: string[]) =>
  [`GET ${path} HTTP/1.1`, "Host: a", "Connection: close", ...more, "", ""].join("\r\n");

describe("invalid HTTP", () => {
  test.each([
    ["garbage", "hello\r\n\r\n", /^HTTP\/1\.1 400/],
    ["two lengths", get("/2", "Content-Length: 1", "Content-Length: 2"), /^HTTP\/1\.1 400/],
    [
      "length, chunks",
      get("/2", "Content-Length: 5", "Transfer-Encoding: chunked"),
      /^HTTP\S+ 400/,
    ],
    ["too many headers", get("/2", `X: ${"x".repeat(40_000)}`), /^HTTP\/1\.1 431/],
    ["a newline in the path", get("/2%0d%0aX-Evil:%201"), /^HTTP\/1\.1 404(?![\s\S]*X-Evil)/],
    ["a NUL in the path", get("/2/instances/%00"), /^HTTP\/1\.1 404/],
    ["a path above the root", get("/../../etc/passwd"), /^HTTP\/1\.1 404/],
    ["half a percent sign", get("/2/instances/%zz"), /^HTTP\/1\.1 404/],
    ["an older HTTP without a host", "GET /version HTTP/1.0\r\n\r\n", /^HTTP\S+ 200[\s\S]*2\n$/],
  ])("%s", async (_, bytes, answer) => {
    expect(await raw(bytes)).toMatch(answer);
  });
});

describe("line ends smuggled into a request add no header to the answer", () => {
  const evil = "\r\nX-Evil: 1\r\n\r\n";
  const escaped = encodeURIComponent(evil);
  test.each([
    { where: "a path", path: `/2/instances/a${escaped}` },
    { where: "a name in a path", path: `/2/nodes/${escaped}/role` },
    { where: "a query", path: `/2/tags?tag=${escaped}`, method: "DELETE" },
    { where: "a user", path: "/2/tags", headers: { authorization: `Basic ${btoa(`${evil}:b`)}` } },
    { where: "a body", path: "/2/instances", method: "POST", body: JSON.stringify({ os: evil }) },
    { where: "a last event", path: "/2/info", headers: { "last-event-id": escaped } },
  ])("$where", async ({ path, method = "GET", headers = {}, body }) => {
    const answer = await send({ path, method, headers: { authorization, ...headers } }, body);
    expect(answer.status).toBeGreaterThan(0);
    const known = ["connection", "content-length", "content-type", "date", "keep-alive"];
    const ours = ["cache-control", "x-content-type-options"];
    expect([...known, ...ours, "www-authenticate"]).toEqual(
      expect.arrayContaining(Object.keys(answer.headers)),
    );
    expect(JSON.stringify(answer.headers)).not.toContain("Evil");
  });
});

test("the local socket opens last, so that a program that waits for its /healthz finds the port and LUXI open", async () => {
  const opened = vi.spyOn(Server.prototype, "listen");
  const started = await aServer("--no-ssl");
  const places = opened.mock.calls.map(([where]) => where as { path?: string; port?: number });
  opened.mockRestore();
  await started.end();
  const at = places.findIndex(({ path }) => path === started.directory.socket);
  expect(at).toBeGreaterThan(0);
  expect(places.slice(at + 1)).toEqual([]);
  expect(places.some(({ port }) => port === 0)).toBe(true);
});

test("the local socket needs no password, and is accessible to its owner only", async () => {
  const socketPath = plain.directory.socket;
  const { status } = await send({ socketPath, method: "PUT", path: "/2/redistribute-config" });
  expect(status).toBe(200);
  expect(statSync(socketPath).mode & 0o777).toBe(0o600);
  expect(statSync(server.directory.certificate).mode & 0o777).toBe(0o600);
});

test("the database is readable for its owner alone, even if its mode was open before", async () => {
  const { database } = server.directory;
  const files = [database, `${database}-wal`, `${database}-shm`];
  const modes = () => files.map((file) => statSync(file).mode & 0o777);
  expect(modes()).toEqual([0o600, 0o600, 0o600]);
  chmodSync(database, 0o644);
  openDataDirectory(server.directory.path);
  expect(modes()).toEqual([0o600, 0o600, 0o600]);
});

test("a data directory that cannot be created is refused without endless attempts", () => {
  expect(() => openDataDirectory("/proc/none/data")).toThrow(/^ENOENT.*\/proc\/none/);
});

describe("TLS", () => {
  const connection = (options: ConnectionOptions = {}) =>
    new Promise<TLSSocket>((resolve, reject) => {
      const to = { port: server.port, host: "127.0.0.1", rejectUnauthorized: false, ...options };
      const socket = tlsConnect(to, () => resolve(socket)).on("error", reject);
    });

  test.each(["TLSv1.2", "TLSv1.3"] as const)("%s is spoken", async (version) => {
    const versions: object = { minVersion: version, maxVersion: version };
    expect((await sendSecurely({ path: "/version", ...versions })).text).toBe("2\n");
  });

  test("browsers get a header that enforces TLS", async () => {
    const { headers } = await sendSecurely({ path: "/version" });
    expect(headers["strict-transport-security"]).toMatch(/^max-age=\d{8}$/);
  });

  test.each([
    { cipher: "ECDHE-ECDSA-AES128-GCM-SHA256", isSpoken: true },
    { cipher: "ECDHE-ECDSA-AES256-SHA384", isSpoken: false },
    { cipher: "ECDHE-ECDSA-AES128-SHA", isSpoken: false },
  ])("with TLS 1.2 $cipher is spoken: $isSpoken", async ({ cipher, isSpoken }) => {
    const options = { ciphers: cipher, maxVersion: "TLSv1.2" } as const;
    const isConnected = connection(options).then(
      (socket) => !!socket.destroy(),
      () => false,
    );
    expect(await isConnected).toBe(isSpoken);
  });

  test("a reload after removing the certificate makes a new one, and old connections continue", async () => {
    const old = await connection();
    rmSync(server.directory.certificate);
    await server.reload();
    const fresh = await connection();
    const shown = (socket: TLSSocket) => socket.getPeerCertificate().fingerprint256;
    expect(shown(fresh)).not.toBe(shown(old));
    fresh.destroy();
    const answer = new Promise<string>((resolve) => old.once("data", (data) => resolve(`${data}`)));
    old.write("GET /version HTTP/1.1\r\nHost: a\r\n\r\n");
    expect(await answer).toMatch(/^HTTP\/1\.1 200/);
    old.destroy();
  });

  test("older versions of TLS are refused", async () => {
    const options = { maxVersion: "TLSv1.1", minVersion: "TLSv1" } as const;
    const old = connection({ ...options, ciphers: "DEFAULT@SECLEVEL=0" });
    await expect(old).rejects.toThrow(/alert|protocol|version|ECONNRESET/i);
  });
});
