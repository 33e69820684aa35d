// Live data in the order of a list: the same as those collected at once, and nothing before its time.

import { Snapshot } from "@ganeti-ts/config";
import type { NodeBackend } from "@ganeti-ts/node-calls";
import type { InstanceObject } from "@ganeti-ts/protocol";
import { randomRuns } from "@ganeti-ts/testkit";
import { aSnapshot, someChanges, someNodes, uuidOf } from "@ganeti-ts/testkit/configuration";
import fc from "fast-check";
import { expect, test } from "vitest";
import { collectInOrder, collectLive, UsedHypervisors } from "../src/index.js";

const caller = { lease: "1:1", signal: new AbortController().signal };

/** Ten nodes, the third of them offline, and instances that have these nodes as their primary. */
function clusterOf(primaries: readonly number[]): Snapshot {
  const content = aSnapshot().content();
  const [node] = content.nodes;
  const [instance] = content.instances;
  return Snapshot.of({
    ...content,
    nodes: Array.from({ length: 10 }, (_, at) => ({
      ...node,
      ...{ uuid: uuidOf(600 + at), name: `node${at}.example.com`, offline: at === 3 },
    })) as never,
    disks: [],
    instances: primaries.map((at, index) => ({
      ...(instance as InstanceObject),
      ...{ uuid: uuidOf(700 + index), name: `inst${index}.example.com`, disks: [], nics: [] },
      // The eleventh is in no configuration.
      primary_node: uuidOf(600 + at),
    })) as never,
  });
}

/** Answers come in any order, each in a turn of its own. */
const slowly = (nodes: NodeBackend, scheduler: fc.Scheduler): NodeBackend => ({
  introduce: nodes.introduce,
  call: (node, name, args, whose) => scheduler.schedule(nodes.call(node, name, args, whose), node),
});

/** Each node reports another amount of memory for the same instance. */
const telling = (nodes: NodeBackend): NodeBackend => ({
  introduce: nodes.introduce,
  async call(node, name, args, whose) {
    const answer = await nodes.call(node, name, args, whose);
    if (!answer.ok) return answer;
    const running = Object.entries(answer.value as Record<string, object>);
    const memoryMib = Number(node.slice(-3));
    const value = Object.fromEntries(running.map(([vm, of]) => [vm, { ...of, memoryMib }]));
    return { ok: true, value } as never;
  },
});

test("each block is ready with the sightings that are collected at once", async () => {
  const seen = { waited: 0, ready: 0, elsewhere: 0, silent: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.nat(10), { minLength: 1, maxLength: 12 }),
      fc.array(fc.tuple(fc.nat(9), fc.nat(11)), { maxLength: 8 }),
      fc.integer({ min: 1, max: 4 }),
      async (scheduler, primaries, running, concurrency) => {
        const now = clusterOf(primaries);
        const instances = [...now.instances()];
        const on: Record<string, string[]> = {};
        // The last two nodes do not answer.
        for (let at = 0; at < 8; at++) on[uuidOf(600 + at)] = [];
        for (const [at, instance] of running)
          on[uuidOf(600 + at)]?.push(`inst${instance}.example.com`);
        const { nodes: some, calls } = someNodes(on);
        const nodes = telling(some);
        const needs = new Set(["instances"] as const);
        const wanted = await collectLive(nodes, caller, now, { needs, nodes: [], instances });
        const asked = new Set(calls);
        calls.length = 0;

        const { live, ready } = collectInOrder(slowly(nodes, scheduler), caller, now, instances, {
          concurrency,
          turn: () => undefined,
        });
        const starts = instances.flatMap((_, at) => (at % 3 === 0 ? [at] : []));
        const show = async (start: number) => {
          const end = Math.min(start + 3, instances.length);
          const wait = ready(instances, start, end);
          seen[wait === undefined ? "ready" : "waited"]++;
          await wait;
          for (const instance of instances.slice(start, end)) {
            const sighting = live.instance(instance);
            expect(sighting).toEqual(wanted.instance(instance));
            if (!sighting.ok) seen.silent++;
            else if (sighting.value?.onPrimary === false) seen.elsewhere++;
          }
        };
        const inOrder = async () => {
          for (const start of starts) await show(start);
        };
        await scheduler.waitFor(Promise.all([inOrder(), ...starts.map(show)]));
        await scheduler.waitAll();
        expect(new Set(calls)).toEqual(asked);
        expect(calls).toHaveLength(asked.size);
      },
    ),
    { numRuns: randomRuns(300) },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20);
});

test("calls at a time are limited, and the nodes of the first instances are called first", async () => {
  const now = clusterOf([4, 5, 6, 7, 8, 1, 2, 0]);
  const waiting: (() => void)[] = [];
  const asked: string[] = [];
  const nodes: NodeBackend = {
    introduce: async () => {},
    call: async (node) => {
      asked.push(node);
      await new Promise<void>((resolve) => waiting.push(resolve));
      return { ok: true, value: {} } as never;
    },
  };
  const instances = [...now.instances()];
  collectInOrder(nodes, caller, now, instances, { concurrency: 3, turn: () => undefined });
  for (let over = 0; over < 6; over++) {
    await new Promise((resolve) => setTimeout(resolve));
    expect(asked).toHaveLength(Math.min(3 + over, 8));
    waiting.shift()?.();
  }
  expect(asked.slice(0, 5)).toEqual([4, 5, 6, 7, 8].map((at) => uuidOf(600 + at)));
});

/** The same list, which reports how many of its items have been looked at. */
function watched(instances: readonly InstanceObject[]) {
  const looked = new Set<string>();
  const list = new Proxy(instances, {
    get(target, key, receiver) {
      if (typeof key === "string" && key !== "length") looked.add(key);
      return Reflect.get(target, key, receiver);
    },
  });
  return { list, looked };
}

const held = (): NodeBackend => ({
  introduce: async () => {},
  call: () => new Promise(() => {}),
});

test("the first nodes are called without a look at all instances", async () => {
  const now = clusterOf(Array.from({ length: 1000 }, (_, at) => Math.floor(at / 100)));
  const { list, looked } = watched([...now.instances()]);
  const options = { concurrency: 2, turn: () => undefined, hypervisors: ["kvm"] };
  collectInOrder(held(), caller, now, list, options);
  await new Promise((resolve) => setTimeout(resolve));
  expect([...looked].map(Number).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 101 }, (_, at) => at),
  );
});

test("no node is called after asking has been stopped", async () => {
  const now = clusterOf([1, 2, 4, 5]);
  const waiting: (() => void)[] = [];
  const nodes: NodeBackend = {
    introduce: async () => {},
    call: async () => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return { ok: true, value: {} } as never;
    },
  };
  const options = { concurrency: 1, turn: () => undefined };
  const { stop } = collectInOrder(nodes, caller, now, [...now.instances()], options);
  waiting[0]?.();
  await new Promise((resolve) => setTimeout(resolve));
  expect(waiting).toHaveLength(2);
  stop();
  waiting[1]?.();
  await new Promise((resolve) => setTimeout(resolve));
  expect(waiting).toHaveLength(2);
});

test("hypervisors in use that are kept up to date equal those that are counted again", () => {
  const first = aSnapshot();
  const names = ["kvm", "xen-pvm", "lxc"];
  const seen = new Set<string>();
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.oneof(fc.constant(-1), fc.nat(someChanges.length - 1)), fc.nat(99)), {
        maxLength: 12,
      }),
      (steps) => {
        const used = new UsedHypervisors();
        let now = first;
        used.names(now);
        for (const [which, salt] of steps) {
          const instances = [...now.instances()];
          const one = instances[salt % instances.length] as InstanceObject;
          const object = { ...one, hypervisor: names[salt % 3], forthcoming: salt % 5 === 0 };
          const changes = someChanges[which]?.(now, salt) ?? [
            { kind: "put", type: "instance", object: object as InstanceObject },
          ];
          now = now.with(changes, { serial: now.serial + 1, mtime: now.mtime });
          const wanted = new UsedHypervisors().names(now);
          seen.add(wanted.join());
          expect(used.names(now)).toEqual(wanted);
        }
      },
    ),
  );
  expect(seen.size).toBeGreaterThan(3);
});

test("instances from a generator have the same live data as a list of them", async () => {
  const now = clusterOf([1, 2, 2]);
  const { nodes } = someNodes({
    [uuidOf(601)]: ["inst0.example.com"],
    [uuidOf(602)]: ["inst1.example.com"],
  });
  const needs = new Set(["instances", "console"] as const);
  const liveOf = (instances: Iterable<InstanceObject>) =>
    collectLive(nodes, caller, now, { needs, nodes: [], instances });
  function* oneByOne() {
    yield* now.instances();
  }
  const [listed, generated] = [await liveOf([...now.instances()]), await liveOf(oneByOne())];
  for (const instance of now.instances()) {
    expect(generated.instance(instance)).toEqual(listed.instance(instance));
    expect(generated.instance(instance).ok).toBe(true);
    expect(generated.console(instance.uuid)).toEqual(listed.console(instance.uuid));
  }
});
