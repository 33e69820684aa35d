import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { kvmFiles } from "../src/hypervisor/kvm/files.js";
import { state } from "../src/hypervisor/kvm/kvm.js";
import { powerOffWatch } from "../src/hypervisor/kvm/power-off-watch.js";
import { nodePaths } from "../src/machine/paths.js";
import { quiet } from "./a-context.js";

let root: string;
let server: Server;
let monitor: Promise<Socket>;
const files = () => kvmFiles({ paths: nodePaths(root) });

/** A stand-in for QEMU with the socket of the watch only; `monitor` is its end after capabilities are negotiated. */
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "watch-"));
  mkdirSync(files().control, { recursive: true });
  let found: (socket: Socket) => void;
  monitor = new Promise((resolve) => {
    found = resolve;
  });
  server = createServer((socket) => {
    socket.write('{"QMP": {"version": {"qemu": {"major": 7, "minor": 2, "micro": 0}}}}\r\n');
    socket.once("data", () => {
      socket.write('{"return": {}}\r\n');
      found(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(files().of("web").watch, resolve));
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(root, { recursive: true });
});

const watch = (userShutdown: string) =>
  powerOffWatch({ log: quiet, ssconf: async () => [userShutdown] }, files());
const off = '{"event": "SHUTDOWN", "data": {"guest": true, "reason": "guest-shutdown"}}\r\n';
const mark = () => existsSync(files().of("web").shutdownMark);

test("a guest that powers itself off is shown as shut down by its user", async () => {
  await watch("True").followAll();
  (await monitor).end(off);
  await expect.poll(mark).toBe(true);
  expect(await state(files()).info("web")).toMatchObject({ state: "shutdown", memoryMib: 0 });
});

test.each([
  ["that was asked to by the node", "True", `{"event": "POWERDOWN"}\r\n${off}`],
  ["of a cluster whose users may not", "False", off],
])("a guest %s is not marked", async (_, userShutdown, events) => {
  const watching = watch(userShutdown);
  watching.follow("web");
  const socket = await monitor;
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.end(events);
  await closed;
  // The watch has ended, so the instance can be followed again.
  await new Promise((resolve) => setImmediate(resolve));
  expect(mark()).toBe(false);
  expect(await state(files()).info("web")).toBeNull();
  watching.close();
});

test("the end of the daemon marks nothing", async () => {
  const watching = watch("True");
  watching.follow("web");
  const socket = await monitor;
  socket.write(off);
  watching.close();
  await new Promise((resolve) => socket.once("close", resolve).resume());
  expect(mark()).toBe(false);
});
