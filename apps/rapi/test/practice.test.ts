// Practising failures on simulated nodes, over the server.
import type { Json } from "@ganeti-ts/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { done, withInstances } from "./instances.js";
import { aServer, type TestServer } from "./served.js";
import { aWorld } from "./world.js";

let server: TestServer;
beforeEach(async () => {
  server = await aServer("--no-ssl", "--groups=1", "--nodes=2");
});
afterEach(() => server.end());

const ask = async (method: string, node: string, body?: Json) => {
  const { status, text } = await server.send(method, `/ganeti-ts/1/simulation/${node}`, body);
  return [status, JSON.parse(text)];
};
const happens = (node: string, body: Json) => ask("PUT", node, body);

/** A mirrored instance on the two nodes, the first of which is its primary. */
const mirrored = (pnode: string, snode: string) => ({
  instance_name: "web.example.com",
  pnode: `${pnode}.example.com`,
  snode: `${snode}.example.com`,
  iallocator: undefined as never,
});

test("a killed node answers no calls, and its instance fails over once it is marked offline", async () => {
  await withInstances(server, [mirrored("node2", "node1")]);
  const killed = [200, { powered: false, instances: [] }];
  expect(await happens("node2", { action: "kill" })).toMatchObject(killed);
  expect(await ask("GET", "node2.example.com")).toMatchObject(killed);
  const node = { node_name: "node2.example.com", force: true, offline: true };
  for (const opcode of [
    { OP_ID: "OP_NODE_SET_PARAMS", ...node },
    { OP_ID: "OP_INSTANCE_FAILOVER", instance_name: "web.example.com" },
  ]) {
    await done(server, opcode);
  }
  expect(await ask("GET", "node1")).toMatchObject([200, { instances: ["web.example.com"] }]);
  expect(await happens("node2", { action: "revive" })).toMatchObject([
    200,
    { powered: true, instances: [] },
  ]);
});

test("disks fill up and are emptied, break and are mended", async () => {
  const [, before] = await ask("GET", "node1");
  const full = { xenvg: { free_mib: 100 } };
  expect(await happens("node1", { action: "fill-disk", free_mib: 100 })).toMatchObject([
    200,
    { volume_groups: full },
  ]);
  expect(await happens("node1", { action: "empty-disk" })).toEqual([200, before]);
  expect(await happens("node1", { action: "break-disk" })).toMatchObject([
    200,
    { missing_devices: ["/dev/sda3"], volume_groups: { xenvg: { size_mib: 0 } } },
  ]);
  expect(await happens("node1", { action: "mend-disk" })).toEqual([200, before]);
  expect(await happens("node1", { action: "slow" })).toMatchObject([200, { slowness: 10 }]);
  expect(await happens("node1", { action: "slow", times: 1 })).toEqual([200, before]);
});

test("an instance crashes, or is shut down by its user", async () => {
  await withInstances(server, [mirrored("node1", "node2")]);
  const instance = "web.example.com";
  expect(await happens("node1", { action: "user-shutdown", instance })).toMatchObject([200, {}]);
  expect(await happens("node1", { action: "crash", instance })).toMatchObject([
    200,
    { instances: [] },
  ]);
});

test.each([
  ["node1", { action: "revive" }, 400, "node1.example.com is running"],
  [
    "node1",
    { action: "crash", instance: "x" },
    400,
    "instance x does not run on node1.example.com",
  ],
  [
    "node1",
    { action: "break-disk", device: "sdz" },
    400,
    "node1.example.com has no device sdz; it has /dev/sda3",
  ],
  ["node7", { action: "kill" }, 404, "Node 'node7' not known"],
])("%s: %j is refused", async (node, body, status, message) => {
  expect(await happens(node, body)).toMatchObject([status, { message: escaped(message) }]);
});

test.each([{ action: "explode" }, { action: "slow", times: 0 }, {}])(
  "%j, which cannot happen, is refused",
  async (body) => expect((await happens("node1", body))[0]).toBe(400),
);

/** Messages of faults are written as HTML. */
const escaped = (text: string) => text.replaceAll("'", "&#x27;");

test("failures of real nodes cannot be simulated", async () => {
  const { ask: real } = await aWorld({ requireAuthentication: false });
  const { status, text } = await real("GET", "/ganeti-ts/1/simulation/node1");
  expect([status, text]).toEqual([400, expect.stringContaining("are not simulated")]);
});
