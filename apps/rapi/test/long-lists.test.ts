// Long lists: sent during the rendering, each of one snapshot, and abandoned without leftovers.
import { connect } from "node:net";
import { collectInOrder, collectLive, collectNodesInOrder } from "@ganeti-ts/cluster-queries";
import { Snapshot } from "@ganeti-ts/config";
import type { NodeBackend } from "@ganeti-ts/node-calls";
import type { InstanceObject } from "@ganeti-ts/protocol";
import { aSnapshot, uuidOf } from "@ganeti-ts/testkit/configuration";
import { afterEach, expect, test, vi } from "vitest";
import { Gate } from "../src/http/gate.js";
import { objectTexts } from "../src/lists/object-texts.js";
import { RapiTexts } from "../src/lists/rapi-texts.js";
import { type Listening, listenOnPort } from "../src/program/listen.js";
import { createServer } from "../src/server.js";
import { aWorld } from "./world.js";

const instanceCount = 1200;
const nodeCount = 40;

/** Nodes with instances on the first of them. */
function manyNodes(): Snapshot {
  const content = aSnapshot().content();
  const others = Array.from({ length: 1200 }, (_, at) => ({
    ...content.nodes[0],
    ...{ uuid: uuidOf(5000 + at), name: `many${at}.example.com` },
  }));
  return Snapshot.of({ ...content, nodes: [...content.nodes, ...others] as never });
}

/** Neighbours in the list are on the same node. */
function manyInstances(): Snapshot {
  const content = aSnapshot().content();
  const [node] = content.nodes;
  const [first] = content.instances;
  const perNode = instanceCount / nodeCount;
  return Snapshot.of({
    ...content,
    disks: [],
    nodes: Array.from({ length: nodeCount }, (_, at) => ({
      ...node,
      ...{ uuid: uuidOf(5000 + at), name: `node${at}.example.com` },
    })) as never,
    instances: Array.from({ length: instanceCount }, (_, at) => ({
      ...(first as InstanceObject),
      ...{ uuid: uuidOf(6000 + at), name: `many${at}.example.com`, disks: [], nics: [] },
      primary_node: uuidOf(5000 + Math.floor(at / perNode)),
    })) as never,
  });
}

/** Nodes on which all instances run; while held, only a given number of them answers. */
function nodesOf(snapshot: () => Snapshot) {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let answering = nodeCount;
  const asked: string[] = [];
  const nodes: NodeBackend = {
    introduce: async () => {},
    async call(uuid) {
      asked.push(uuid);
      if (Number(uuid.slice(-4)) - 5000 >= answering) await held;
      const { primary } = snapshot().instancesOfNode(uuid as never);
      const figures = { hypervisor: "kvm", memoryMib: 512, vcpus: 1, state: "running" };
      return {
        ok: true,
        value: Object.fromEntries(primary.map(({ name }) => [name, figures])),
      } as never;
    },
  };
  const hold = (count: number) => {
    answering = count;
  };
  return { nodes, asked, hold, release: () => release() };
}

const open: Listening[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const one of open.splice(0)) await one.close(0);
});

const caller = { lease: "1:1", signal: new AbortController().signal };
const path = "/2/instances?bulk=1";

async function aServer() {
  let now = manyInstances();
  const held = nodesOf(() => now);
  const gate = new Gate({ placesMax: 2 });
  const texts = objectTexts({
    snapshot: () => now,
    queue: { onChange: () => () => {} } as never,
    objects: {
      liveInOrder: (...rest: Parameters<typeof liveOf>) => liveOf(...rest),
    } as never,
  });
  const liveOf = (
    of: Snapshot,
    instances: readonly InstanceObject[],
    options: Parameters<typeof collectInOrder>[4],
  ) => collectInOrder(held.nodes, caller, of, instances, options);
  const app = createServer(await aWorld({ texts, gates: { port: gate, socket: gate } }));
  return {
    ...held,
    app,
    gate,
    get now() {
      return now;
    },
    /** Tags the last instance of the list. */
    tagLast(tag: string) {
      const one = now.expectInstance(`many${instanceCount - 1}.example.com`);
      const object = { ...one, tags: [tag] } as InstanceObject;
      const stamp = { serial: now.serial + 1, mtime: 1 };
      now = now.with([{ kind: "put", type: "instance", object }], stamp);
    },
    /** The list of a snapshot, rendered at once by a server that has rendered nothing before. */
    wanted(of: Snapshot): string {
      const { live } = collectInOrder(held.nodes, caller, of, [], {
        concurrency: 1,
        turn: () => undefined,
      });
      const running = { hypervisor: "kvm", memoryMib: 512, vcpus: 1, state: "running" };
      const instance = () => ({ ok: true, value: { found: running, onPrimary: true } }) as never;
      const parts = new RapiTexts().list("instance", of, { ...live, instance });
      return `${Buffer.concat(parts as Uint8Array[])}\n`;
    },
  };
}

const textOf = async (reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> => {
  const parts: Uint8Array[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(parts).toString();
    parts.push(value);
  }
};

test("a list that is sent while it is rendered has the bytes of one that is rendered at once", async () => {
  // A list is given again for a second, however long the machine takes.
  vi.spyOn(performance, "now").mockReturnValue(performance.now());
  const server = await aServer();
  const wanted = server.wanted(server.now);
  server.hold(5);
  const first = await server.app.request(path);
  expect(first.headers.has("content-length")).toBe(false);
  server.release();
  expect(await first.text()).toBe(wanted);
  const again = await server.app.request(path);
  expect(again.headers.get("content-length")).toBe(String(wanted.length));
  expect(await again.text()).toBe(wanted);
  server.tagLast("new");
  expect(await (await server.app.request(path)).text()).toBe(server.wanted(server.now));
});

test("the beginning is sent even before most nodes have answered", async () => {
  const server = await aServer();
  server.hold(5);
  const { body } = await server.app.request(path);
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  let text = "";
  while (!text.includes("many20.example.com"))
    text += Buffer.from((await reader.read()).value ?? []);
  server.release();
  expect(text + (await textOf(reader))).toBe(server.wanted(server.now));
});

test("the first rows are sent before most nodes have been called", async () => {
  const server = await aServer();
  // Each look at the clock is 2 ms after the one before: a slice is two calls, or two blocks of the list.
  let ms = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => (ms += 2));
  const { body } = await server.app.request(path);
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  let text = "";
  while (!text.includes("many0.example.com"))
    text += Buffer.from((await reader.read()).value ?? []);
  expect(server.asked.length).toBeLessThan(nodeCount / 2);
  expect(text + (await textOf(reader))).toBe(server.wanted(server.now));
  expect(server.asked).toHaveLength(nodeCount);
});

test("a change while a list is sent shows in the next one, and not in this one", async () => {
  const server = await aServer();
  server.hold(30);
  const before = server.now;
  const { body } = await server.app.request(path);
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const begin = Buffer.from((await reader.read()).value ?? []).toString();
  server.tagLast("meanwhile");
  const next = await server.app.request(path);
  server.release();
  expect(begin + (await textOf(reader))).toBe(server.wanted(before));
  const text = await next.text();
  expect(text).toContain("meanwhile");
  expect(text).toBe(server.wanted(server.now));
});

test("a list that is being rendered keeps its place, and gives it up at the end", async () => {
  const server = await aServer();
  server.hold(5);
  const { body } = await server.app.request(path);
  expect(server.gate.figures().running).toBe(1);
  server.release();
  await (body as ReadableStream<Uint8Array>).cancel();
  await expect.poll(() => server.gate.figures()).toEqual({ running: 0, waiting: 0, abandoned: 0 });
});

test("no node is called, and no row rendered, after the only client has left", async () => {
  const server = await aServer();
  let ms = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => (ms += 2));
  const { body } = await server.app.request(path);
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  await reader.read();
  await reader.cancel();
  await expect.poll(() => server.gate.figures()).toEqual({ running: 0, waiting: 0, abandoned: 0 });
  const asked = server.asked.length;
  for (let round = 0; round < 50; round++) await new Promise((resolve) => setImmediate(resolve));
  expect(server.asked).toHaveLength(asked);
  expect(asked).toBeLessThan(nodeCount);
  expect(await (await server.app.request(path)).text()).toBe(server.wanted(server.now));
});

test("a client that disconnects in the middle of a list causes no leftovers", async () => {
  const server = await aServer();
  server.hold(5);
  const listening = await listenOnPort(server.app, "127.0.0.1", 0, undefined);
  open.push(listening);
  for (let client = 0; client < 5; client++) {
    const socket = connect(listening.port, "127.0.0.1");
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    await new Promise((resolve) => socket.once("data", resolve));
    socket.destroy();
    await expect.poll(() => server.gate.figures().running).toBe(0);
  }
  // Rendering has ended although nodes have not answered.
  await expect.poll(() => server.gate.figures()).toEqual({ running: 0, waiting: 0, abandoned: 0 });
  server.release();
  expect(await (await server.app.request(path)).text()).toBe(server.wanted(server.now));
});

test("a long list of nodes is sent while they are called, and follows changes", async () => {
  let now = manyNodes();
  let memory = 100;
  const asked: string[] = [];
  const nodes: NodeBackend = {
    introduce: async () => {},
    async call(uuid) {
      asked.push(uuid);
      const memoryFreeMib = memory + Number(uuid.slice(-3));
      const figures = { memoryFreeMib, memoryNodeMib: 1, memoryTotalMib: 9, cpuTotal: 1 };
      return { ok: true, value: { hypervisors: [figures], storage: [] } } as never;
    },
  };
  const texts = objectTexts({
    snapshot: () => now,
    queue: { onChange: () => () => {} } as never,
    objects: {
      liveNodesInOrder: (...[of, list, options]: Parameters<ListedNodes>) =>
        collectNodesInOrder(nodes, caller, of, list, options),
    } as never,
  });
  const app = createServer(await aWorld({ texts }));
  const wanted = async () => {
    const needs = new Set(["hypervisor", "storage"] as const);
    const live = await collectLive(nodes, caller, now, {
      ...{ needs, nodes: now.nodes(), instances: [] },
    });
    return `${Buffer.concat(new RapiTexts().list("node", now, live) as Uint8Array[])}\n`;
  };
  // Each look at the clock is 2 ms after the one before, so that a slice is two calls, or two blocks of the list.
  let ms = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => (ms += 2));
  const { body } = await app.request("/2/nodes?bulk=1");
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  let text = "";
  while (!text.includes("many0.example.com"))
    text += Buffer.from((await reader.read()).value ?? []);
  expect(asked.length).toBeLessThan(600);
  text += await textOf(reader);
  expect(text).toBe(await wanted());
  const put = (object: object) => {
    const stamp = { serial: now.serial + 1, mtime: 1 };
    now = now.with([{ kind: "put", type: "node", object: object as never }], stamp);
  };
  for (const change of [
    () => put({ ...now.expectNode("many700.example.com"), tags: ["new"] }),
    () => put({ ...now.expectNode("node1"), drained: true }),
    () => {
      memory = 200;
      put({ ...now.expectNode("many701.example.com"), offline: true });
    },
  ]) {
    change();
    const listed = await (await app.request("/2/nodes?bulk=1")).text();
    expect(listed).toBe(await wanted());
    expect(listed).not.toBe(text);
    text = listed;
  }
});

type ListedNodes = (
  of: Snapshot,
  list: Parameters<typeof collectNodesInOrder>[3],
  options: Parameters<typeof collectNodesInOrder>[4],
) => unknown;
