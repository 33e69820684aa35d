// Stand-ins for Ganeti's daemons below the virtual root of a server: the echo of wconfd, and pid files.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { standInForDaemons, stoodInDaemons } from "../src/program/daemon-stand-ins.js";
import { makeVirtualRoot, type VirtualRoot, virtualRoot } from "../src/program/virtual-root.js";

let folder = "";
let root: VirtualRoot;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "vroot-"));
  root = virtualRoot(folder, "node1.example.com");
  makeVirtualRoot(root);
});
afterEach(() => rmSync(folder, { recursive: true }));

const pidFile = (name: string) => join(root.run, `${name}.pid`);

/** One request in Ganeti's framing, and its answer. */
const asked = (request: object): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const socket = connect(join(root.sockets, "ganeti-wconfd"));
    let text = "";
    socket.on("error", reject);
    socket.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
      if (!text.includes("\u0003")) return;
      socket.destroy();
      resolve(JSON.parse(text.slice(0, text.indexOf("\u0003"))));
    });
    socket.write(`${JSON.stringify(request)}\u0003`);
  });

test("the watcher's probe of wconfd gets its text back", async () => {
  const standIns = await standInForDaemons(root);
  const args = ["ganeti watcher probe 1"];
  expect(await asked({ method: "echo", args })).toMatchObject({ success: true, result: args[0] });
  expect(await asked({ method: "WriteConfig", args })).toMatchObject({ success: false });
  await standIns.close(0);
  expect(existsSync(join(root.sockets, "ganeti-wconfd"))).toBe(false);
});

test("each daemon has a pid file with our number, until the server ends", async () => {
  const standIns = await standInForDaemons(root);
  for (const name of stoodInDaemons) {
    expect(readFileSync(pidFile(name), "utf8")).toBe(`${process.pid}\n`);
  }
  await standIns.close(0);
  expect(stoodInDaemons.filter((name) => existsSync(pidFile(name)))).toEqual([]);
});

test("a pid file that another process has written meanwhile is left unchanged", async () => {
  const standIns = await standInForDaemons(root);
  writeFileSync(pidFile("ganeti-mond"), "1\n");
  rmSync(pidFile("ganeti-kvmd"));
  await standIns.close(0);
  expect(readFileSync(pidFile("ganeti-mond"), "utf8")).toBe("1\n");
});

test("the server does not start if the socket cannot be made", async () => {
  mkdirSync(join(root.sockets, "ganeti-wconfd"));
  await expect(standInForDaemons(root)).rejects.toThrow(/cannot listen on .*ganeti-wconfd/);
});
