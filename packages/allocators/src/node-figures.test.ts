// Kept figures: their age, queries in the background, and later claims. Seen to fail with claims dropped at once, with
// touched nodes not queried, with outdated figures used, with a query for each change, with nodes that are never queried
// after the gap, and with nodes that gained space queried only after it.
import { type ConfigChange, type ConfigurationStep, Snapshot } from "@ganeti-ts/config";
import { answered, type NodeBackend, type NodeInformation } from "@ganeti-ts/node-calls";
import type { NodeUuid } from "@ganeti-ts/protocol";
import { VirtualClock } from "@ganeti-ts/testkit/simulation";
import { expect, test } from "vitest";
import { randomConfiguration } from "../test/random-configuration.js";
import { NodeFigures } from "./node-figures.js";

const caller = { lease: "1:1", signal: new AbortController().signal };
const ageMaxMs = 10_000;

/** A cluster of online nodes that record when they are queried, and report the time as their free disk. */
function stage() {
  const clock = new VirtualClock();
  const { now: random } = randomConfiguration(7);
  const online = [...random.nodes()].map((node) => ({
    ...node,
    ...{ offline: false, vm_capable: true, ndparams: {} },
  }));
  let now = Snapshot.of({ ...random.content(), nodes: online, instances: [], disks: [] });
  const asked: { readonly node: string; readonly at: number }[] = [];
  const listeners = new Set<(step: ConfigurationStep) => void>();
  const nodes: NodeBackend = {
    introduce: async () => {},
    call: async (node, name) => {
      if (name !== "node_info") return answered({}) as never;
      asked.push({ node, at: clock.now() });
      const space = { name: "xenvg", type: "lvm-vg", size: 1e6, free: 900_000 + clock.now() };
      const memory = { memoryTotalMib: 1024, memoryNodeMib: 0, memoryFreeMib: 512 };
      const information = {
        storage: [space],
        hypervisors: [{ ...memory, cpuTotal: 2, cpuNode: 0 }],
      } as unknown as NodeInformation;
      return answered(information) as never;
    },
  };
  const config = {
    get snapshot() {
      return now;
    },
    onChange: (listener: (step: ConfigurationStep) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const figures = new NodeFigures({ nodes, clock, random: { fraction: () => 0.5 } }, { ageMaxMs });
  return {
    clock,
    asked,
    figures,
    config,
    uuids: online.map(({ uuid }) => uuid),
    of: () => figures.of(now, caller, { diskTemplate: "plain", hypervisor: "kvm" }),
    change(changes: readonly ConfigChange[]) {
      const before = now;
      now = now.with(changes, { serial: now.serial + 1, mtime: now.mtime });
      for (const listener of listeners) listener({ before, after: now, changes, faults: [] });
    },
  };
}

/** A plain instance of 1000 MiB on the node. */
function adding(node: NodeUuid): readonly ConfigChange[] {
  const disk = {
    ...{ uuid: "disk-1", dev_type: "plain", size: 1000, mode: "rw", children: [] },
    ...{ logical_id: ["xenvg", "disk"], nodes: [node] },
  };
  const instance = {
    ...{ uuid: "instance-1", name: "web", primary_node: node, hypervisor: "kvm", os: "debian" },
    ...{ beparams: {}, nics: [], disks: ["disk-1"], tags: [], admin_state: "up" },
  };
  return [
    { kind: "put", type: "disk", object: disk },
    { kind: "put", type: "instance", object: instance },
  ] as unknown as readonly ConfigChange[];
}

const grown = (change: ConfigChange, size = 1500): ConfigChange =>
  change.kind === "put" && change.type === "disk"
    ? { ...change, object: { ...change.object, size } as typeof change.object }
    : change;

const removal = [
  { kind: "remove", type: "instance", uuid: "instance-1" },
  { kind: "remove", type: "disk", uuid: "disk-1" },
] as unknown as readonly ConfigChange[];

test("figures are queried once, and again when they are too old", async () => {
  const { of, asked, clock, uuids } = stage();
  await of();
  await clock.pass(ageMaxMs - 1);
  const live = await of();
  expect(asked.length).toBe(uuids.length);
  expect([...live.keys()].sort()).toEqual([...uuids].sort());
  await clock.pass(2);
  await of();
  expect(asked.length).toBe(2 * uuids.length);
});

test("figures in use are refreshed in the background before they are too old", async () => {
  const { of, asked, clock, config, figures, uuids } = stage();
  const end = figures.follow(config);
  await of();
  await clock.pass(4.6 * ageMaxMs);
  const before = asked.length;
  expect(before).toBeGreaterThan(4 * uuids.length);
  await of();
  expect(asked.length).toBe(before);
  await clock.pass(20 * ageMaxMs);
  const idle = asked.length;
  await clock.pass(5 * ageMaxMs);
  expect(asked.length, "not while nothing uses them").toBe(idle);
  end();
  await of();
  const ended = asked.length;
  await clock.pass(2 * ageMaxMs);
  expect(asked.length).toBe(ended);
});

test("space of new disks does not count as free before the node has reported its free space again", async () => {
  const { of, asked, clock, config, figures, change, uuids } = stage();
  const [node] = uuids as [NodeUuid];
  figures.follow(config);
  const free = async () => (await of()).get(node)?.diskFreeMib;
  const first = await free();
  await clock.pass(1100);
  const count = asked.length;
  change(adding(node));
  expect(await free()).toBe((first as number) - 1000);
  await clock.pass(1);
  expect(asked.slice(count)).toEqual([{ node, at: 1100 }]);
  expect(await free()).toBe(900_000 + 1100);
});

test("a node queried just before is queried again once, a second after instances took more of it", async () => {
  const { of, asked, clock, config, figures, change, uuids } = stage();
  const [node] = uuids as [NodeUuid];
  const end = figures.follow(config);
  const free = async () => (await of()).get(node)?.diskFreeMib;
  const first = await free();
  await clock.pass(100);
  const count = asked.length;
  change(adding(node));
  await clock.pass(100);
  change(adding(node).map((one) => grown(one)));
  expect(await free()).toBe((first as number) - 1500);
  await clock.pass(899);
  expect(asked.slice(count)).toEqual([]);
  await clock.pass(2);
  expect(asked.slice(count)).toEqual([{ node, at: 1100 }]);
  expect(await free()).toBe(900_000 + 1100);
  change(adding(node).map((one) => grown(one, 2000)));
  end();
  await clock.pass(2000);
  expect(asked.slice(count)).toHaveLength(1);
});

test.each([
  ["is removed", () => removal],
  ["shrinks", (node: NodeUuid) => adding(node).map((one) => grown(one, 500))],
  ["moves to another node", (_: NodeUuid, other: NodeUuid) => adding(other)],
])("a node is queried at once when an instance %s, even just after a query", async (_, freeing) => {
  const { of, asked, clock, config, figures, change, uuids } = stage();
  const [node, other] = uuids as [NodeUuid, NodeUuid];
  figures.follow(config);
  await of();
  change(adding(node));
  await clock.pass(100);
  const count = asked.length;
  change(freeing(node, other));
  await clock.pass(1);
  expect(asked.slice(count)).toContainEqual({ node, at: 100 });
});

test("the growth of a disk is subtracted from the free space", async () => {
  const { of, clock, config, figures, change, uuids } = stage();
  const [node] = uuids as [NodeUuid];
  figures.follow(config);
  await of();
  await clock.pass(50);
  figures.touch([node]);
  change(adding(node));
  await clock.pass(1001);
  expect((await of()).get(node)?.diskFreeMib).toBe(900_000 + 1050);
  change(adding(node).map((one) => grown(one)));
  expect((await of()).get(node)?.diskFreeMib).toBe(900_000 + 1050 - 500);
});

test("nodes that go offline have no figures", async () => {
  const { of, change, config, figures, uuids } = stage();
  const [node] = uuids as [NodeUuid];
  figures.follow(config);
  await of();
  const object = { ...config.snapshot.node(node), offline: true };
  change([{ kind: "put", type: "node", object } as ConfigChange]);
  expect((await of()).has(node)).toBe(false);
});
