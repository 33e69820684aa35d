// Killed jobs, and jobs of workers that die.
import { type ConfigStore, createMemoryStores } from "@ganeti-ts/config";
import { MemoryDatabase } from "@ganeti-ts/job-queue";
import { createLockManager, memoryLockStore } from "@ganeti-ts/locking";
import type { NodeBackend, NodeCallName } from "@ganeti-ts/node-calls";
import { noDurations } from "@ganeti-ts/simulated-nodes";
import { VirtualClock } from "@ganeti-ts/testkit/simulation";
import { expect, test } from "vitest";
import { type Cluster, createCluster, memoryStores, openCluster } from "../src/index.js";
import {
  aCluster,
  basics,
  creation,
  interposed,
  portsOf,
  simulatedNodes,
  threeNodes,
} from "./a-cluster.js";

/**
 * The nodes of one worker: the first call of that name is carried out but not answered, and all later
 * calls are neither sent nor answered.
 */
function silentAfter(nodes: NodeBackend, name: NodeCallName) {
  let isSilent = false;
  let reached: () => void = () => {};
  const silent = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const backend = interposed(nodes, async (node, call, args, caller) => {
    if (isSilent) return new Promise(() => {});
    isSilent = call === name;
    const answer = await nodes.call(node, call, args, caller);
    if (!isSilent) return answer;
    reached();
    return new Promise(() => {});
  });
  return { backend, silent };
}

const volumesOf = (nodes: Awaited<ReturnType<typeof simulatedNodes>>, cluster: Cluster) =>
  [...cluster.snapshot().nodes()].flatMap(({ uuid }) =>
    Object.keys(nodes.stateOf(uuid)?.volumeGroups.xenvg?.volumes ?? {}),
  );

test("a job killed while it creates an instance leaves nothing behind", async () => {
  const clock = new VirtualClock();
  const nodes = await simulatedNodes(clock, { ...noDurations, callMs: 100 });
  const stores = memoryStores({ clock });
  const made = createCluster(threeNodes, {
    ...basics,
    nodes: portsOf(nodes),
    clock,
    store: stores.config,
  });
  await clock.pass(1000);
  expect(await made).toBe(true);
  const opened = openCluster({ ...basics, stores, nodes: portsOf(nodes), clock });
  await clock.pass(1000);
  const cluster = await opened;
  const id = await cluster.queue.submit([creation("web.example.com", { disk_template: "drbd" })]);
  while (volumesOf(nodes, cluster).length === 0) await clock.pass(10);
  expect(cluster.snapshot().count("claim")).toBe(1);
  expect((await cluster.queue.cancel(id, { kill: true }))[0]).toBe(true);
  await clock.pass(1000);
  expect((await cluster.queue.ended(id)).status).toBe("error");
  await clock.pass(31_000);
  expect(volumesOf(nodes, cluster)).toEqual([]);
  expect(cluster.snapshot().count("claim")).toBe(0);
  await cluster.close();
});

test("a server starts although nodes do not answer its cleanup, and completes the cleanup when they do", async () => {
  const clock = new VirtualClock();
  const nodes = await simulatedNodes(clock, { ...noDurations, callMs: 100 });
  const database = new MemoryDatabase(clock, { leaseMs: 30_000 });
  const store = memoryLockStore();
  const configs = [...createMemoryStores(2)];
  const during = async <T>(work: Promise<T>): Promise<T> => {
    await clock.pass(1000);
    return work;
  };
  const made = { ...basics, clock, nodes: portsOf(nodes), store: configs[0] as ConfigStore };
  await during(createCluster(threeNodes, made));
  let isReachable = true;
  let hear = () => {};
  const heard = new Promise<void>((resolve) => {
    hear = resolve;
  });
  const backend = interposed(nodes, async (node, call, args, caller) => {
    if (!isReachable) await heard;
    return nodes.call(node, call, args, caller);
  });
  const opened = () => {
    const jobs = database.connect(clock);
    const locks = createLockManager({ store, clock });
    const stores = { jobs, config: configs.pop() as ConfigStore, locks };
    return during(openCluster({ ...basics, stores, nodes: portsOf(nodes, backend), clock }));
  };
  const first = await opened();
  const id = await first.queue.submit([creation("web.example.com", { disk_template: "drbd" })]);
  while (volumesOf(nodes, first).length === 0) await clock.pass(10);
  // The claim outlives the job, because the server ends before it is released.
  await first.queue.cancel(id, { kill: true });
  await during(first.close());
  // Delayed calls of the job may arrive until its lease has expired.
  await clock.pass(31_000);

  isReachable = false;
  const second = await opened();
  expect(second.snapshot().count("claim")).toBe(1);
  expect(await second.queue.submit([{ OP_ID: "OP_TAGS_GET", kind: "cluster" }])).toBe(2);
  isReachable = true;
  hear();
  await clock.pass(31_000);
  expect(second.snapshot().count("claim")).toBe(0);
  expect(volumesOf(nodes, second)).toEqual([]);
  await second.close();
});

test("a second worker takes over: the dead one is refused, its job fails, its locks and volumes are released", async () => {
  const clock = new VirtualClock();
  const stopped = new VirtualClock();
  const nodes = await simulatedNodes(clock);
  const database = new MemoryDatabase(clock, { leaseMs: 30_000 });
  const store = memoryLockStore();
  const [one, two] = createMemoryStores(2).map((config, at) => ({
    // The clock of the first worker stands still: it neither renews its lease nor notices that.
    jobs: database.connect(at === 0 ? stopped : clock),
    config,
    locks: createLockManager({ store, clock }),
  }));
  if (one === undefined || two === undefined) throw new Error("no stores");
  await createCluster(threeNodes, { ...basics, nodes: portsOf(nodes), clock, store: one.config });
  const { backend, silent } = silentAfter(nodes, "blockdev_create");
  const dying = await openCluster({
    ...basics,
    stores: one,
    nodes: portsOf(nodes, backend),
    clock: stopped,
  });
  const id = await dying.queue.submit([creation("web.example.com")]);
  await silent;
  expect(volumesOf(nodes, dying)).toHaveLength(1);

  const lines: string[] = [];
  const tell = (_: object, line: string) => void lines.push(line);
  const log = { info: tell, warn: tell, error: tell };
  const heir = await openCluster({ ...basics, stores: two, nodes: portsOf(nodes), clock, log });
  expect(lines).toEqual([]);
  await clock.pass(31_000);
  expect(lines).toContain("took over from a dead server");
  // All nodes refuse the first worker, including those that have not been called since.
  const { claim } = one.jobs;
  const caller = { lease: `${claim.worker}:${claim.fence}`, signal: new AbortController().signal };
  for (const { uuid } of heir.snapshot().nodes()) {
    expect(await nodes.call(uuid, "vg_list", {}, caller)).toMatchObject({
      ok: false,
      message: expect.stringContaining("has ended"),
    });
  }
  expect((await heir.queue.ended(id)).status).toBe("error");
  expect(volumesOf(nodes, heir)).toEqual([]);
  const again = await heir.queue.submit([creation("web.example.com")]);
  await clock.pass(1000);
  expect((await heir.queue.ended(again)).status).toBe("success");

  // When the clock of the first worker advances, it learns that it was declared dead.
  await stopped.pass(31_000);
  expect((await dying.lost).message).toMatch(/lease/);
  await heir.close();
});

test("a killed running job ends at once, and the next one gets its locks", async () => {
  const { cluster } = await aCluster();
  const delay = { OP_ID: "OP_TEST_DELAY", duration: 3600, on_master: true };
  const id = await cluster.queue.submit([delay]);
  await expect
    .poll(async () => (await cluster.queue.query([id], ["status"]))[0])
    .toEqual(["running"]);
  expect(await cluster.queue.cancel(id, { kill: true })).toEqual([true, expect.any(String)]);
  expect((await cluster.queue.ended(id)).status).toBe("error");
  const next = await cluster.queue.submit([creation("web.example.com")]);
  expect((await cluster.queue.ended(next)).status).toBe("success");
});
