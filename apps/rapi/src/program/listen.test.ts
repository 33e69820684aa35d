import { spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Hono } from "hono";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listenOnPort, listenOnSocket } from "./listen.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "listen-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A socket without a listener, as left by a killed server. */
function leftSocket(): string {
  const path = join(folder, "left.sock");
  const listen = "require('net').createServer().listen(process.argv[1],";
  const die = "() => process.kill(process.pid, 'SIGKILL'))";
  spawnSync(process.execPath, ["-e", `${listen} ${die}`, path]);
  expect(lstatSync(path, { bigint: true }).isSocket()).toBe(true);
  return path;
}

/** Modules in two folders that `require` finds through symbolic links, like packages installed by pnpm. */
function linkedModules(): string {
  for (const name of ["first", "second"]) {
    mkdirSync(join(folder, "real", name), { recursive: true });
    writeFileSync(join(folder, "real", name, "index.js"), "");
    mkdirSync(join(folder, "node_modules"), { recursive: true });
    symlinkSync(join(folder, "real", name), join(folder, "node_modules", name));
  }
  return join(folder, "program.js");
}

test("modules behind symbolic links are found after the socket of a killed server is replaced", async () => {
  const { resolve } = createRequire(linkedModules());
  const path = leftSocket();
  resolve("first");
  const listening = await listenOnSocket(new Hono(), path);
  try {
    expect(resolve("second")).toBe(join(folder, "real", "second", "index.js"));
  } finally {
    await listening.close(0);
  }
});

/** Everything that the server sends back before it ends the connection. */
const answerTo = (where: { path: string } | { port: number }, request: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(where, () => socket.write(request));
    socket.on("data", (part) => {
      text += part;
    });
    socket.on("error", reject).on("close", () => resolve(text));
  });

test.each([
  ["a host", "CONNECT db.example.com:443 HTTP/1.1\r\nHost: db.example.com:443\r\n\r\n"],
  ["a path, without a host", "CONNECT /2/info HTTP/1.1\r\n\r\n"],
  ["HTTP/1.0", "CONNECT * HTTP/1.0\r\n\r\n"],
  ["a body", "CONNECT /2/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"],
  ["another upgrade", "CONNECT /ws HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"],
  ["much of another protocol", `CONNECT x:1 HTTP/1.1\r\n\r\n${"A".repeat(300_000)}`],
])("CONNECT with %s is answered on each socket", async (_, request) => {
  const path = join(folder, "connect.sock");
  const local = await listenOnSocket(new Hono(), path);
  const open = await listenOnPort(new Hono(), "127.0.0.1", 0, undefined);
  try {
    for (const where of [{ path }, { port: open.port }]) {
      expect(await answerTo(where, request)).toMatch(/^HTTP\/1\.1 501 Not Implemented\r\n/);
    }
  } finally {
    await local.close(0);
    await open.close(0);
  }
});

test("clients that keep a refused CONNECT open do not keep the others out", async () => {
  const ms = 60_000;
  const limits = {
    ...{ handshakeMs: ms, headersMs: ms, requestMs: ms, idleMs: ms, silenceMs: ms },
    ...{ checkEveryMs: ms, connectionsMax: 1 },
  };
  const open = await listenOnPort(new Hono(), "127.0.0.1", 0, undefined, { limits });
  const where = { port: open.port, host: "127.0.0.1", allowHalfOpen: true };
  const held = connect(where, () => held.write("CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n"))
    .on("error", () => {})
    .resume();
  try {
    await once(held, "end");
    const status = () =>
      fetch(`http://127.0.0.1:${open.port}/`).then(
        (answer) => answer.status,
        () => null,
      );
    await expect.poll(status).toBe(404);
  } finally {
    held.destroy();
    await open.close(0);
  }
});
