// The watcher of a whole cluster on a virtual clock: crashes, reboots, pauses, two servers.
import { createMemoryStores, secondaryNodes } from "@ganeti-ts/config";
import { LeaseLostError, MemoryDatabase } from "@ganeti-ts/job-queue";
import { createLockManager, memoryLockStore } from "@ganeti-ts/locking";
import type { NodeBackend, NodeCallName } from "@ganeti-ts/node-calls";
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import type { SimulatedNodes } from "@ganeti-ts/simulated-nodes";
import { VirtualClock } from "@ganeti-ts/testkit/simulation";
import { afterEach, describe, expect, test } from "vitest";
import {
  type Cluster,
  type ClusterStores,
  createCluster,
  memoryWatcherNotes,
  openCluster,
  type WatcherNotesStore,
} from "../src/index.js";
import {
  basics,
  creation,
  interposed,
  madeOn,
  portsOf,
  simulatedNodes,
  threeNodes,
} from "./a-cluster.js";

const intervalMs = 300_000;
const stepMs = 50;

interface Watched {
  readonly clock: VirtualClock;
  readonly nodes: SimulatedNodes;
  readonly cluster: Cluster;
  readonly lines: readonly string[];
  /** Advances the clock until the next round and all work that it starts have ended. */
  round(): Promise<void>;
  /** Runs a job to its end. */
  job(...opcodes: JsonObject[]): Promise<readonly [string, readonly Json[]]>;
  status(name: string): Promise<Json>;
  /** Summaries of the watcher's jobs, without verifications. */
  done(): Promise<readonly string[]>;
}

const open: Cluster[] = [];
const gates: { open(): void }[] = [];
afterEach(async () => {
  // A job that waits at a gate would prevent its cluster from closing.
  for (const gate of gates.splice(0)) gate.open();
  for (const one of open.splice(0)) await one.close();
});

const figures = async ({ gauges }: Cluster) =>
  (await gauges.find(({ name }) => name === "ganeti_watcher")?.read()) ?? {};

async function settle(clock: VirtualClock, cluster: Cluster): Promise<void> {
  for (let idle = 0; idle < 20; idle++) {
    await clock.pass(stepMs);
    const { counts } = await cluster.queue.live();
    if (["queued", "waiting", "running"].some((status) => counts.get(status as never))) idle = 0;
  }
}

async function passRound(clock: VirtualClock, cluster: Cluster): Promise<void> {
  await clock.pass(intervalMs);
  await settle(clock, cluster);
}

/** Opens a further worker on stores that have a cluster. */
async function opened(
  stores: ClusterStores,
  nodes: SimulatedNodes,
  clock: VirtualClock,
  notes: WatcherNotesStore = memoryWatcherNotes(),
  backend: NodeBackend = nodes,
) {
  const lines: string[] = [];
  const tell = ({ error }: { error?: Error }, line: string) =>
    void lines.push(error ? `${line}: ${error.message}` : line);
  const cluster = await openCluster({
    ...{ ...basics, clock, stores, nodes: portsOf(nodes, backend) },
    log: { info: tell, warn: tell, error: tell },
    watcher: { intervalMs, notes },
  });
  open.push(cluster);
  return { cluster, lines };
}

/** A gate that holds up calls of one name while it is closed. */
function aGate(name: NodeCallName) {
  let isOpen = Promise.resolve();
  let open = () => {};
  const gate = {
    open: () => open(),
    close() {
      isOpen = new Promise((resolve) => {
        open = resolve;
      });
    },
    before: (nodes: SimulatedNodes) =>
      interposed(nodes, async (node, call, args, caller) => {
        if (call === name) await isOpen;
        return nodes.call(node, call, args, caller);
      }),
  };
  gates.push(gate);
  return gate;
}

async function aWatchedCluster(
  notes?: WatcherNotesStore,
  before: (nodes: SimulatedNodes) => NodeBackend = (nodes) => nodes,
): Promise<Watched> {
  const clock = new VirtualClock();
  const { nodes, stores } = await madeOn(clock);
  const { cluster, lines } = await opened(stores, nodes, clock, notes, before(nodes));
  return watched(clock, nodes, cluster, lines);
}

const watched = (
  clock: VirtualClock,
  nodes: SimulatedNodes,
  cluster: Cluster,
  lines: readonly string[],
): Watched => ({
  clock,
  nodes,
  cluster,
  lines,
  round: () => passRound(clock, cluster),
  async job(...opcodes) {
    const id = await cluster.queue.submit(opcodes);
    await settle(clock, cluster);
    const { status, results } = await cluster.queue.ended(id);
    return [status, results];
  },
  async status(name) {
    const { data } = await cluster.objects.query("instance", ["status"], ["==", "name", name]);
    return (data[0]?.[0]?.[1] ?? null) as Json;
  },
  async done() {
    const rows = await cluster.queue.query([], ["ops"]);
    return rows.flatMap((row) => {
      const [opcodes] = row as [readonly { readonly reason: readonly Json[][] }[]];
      return opcodes.flatMap(({ reason }) => {
        const [source, text] = reason[0] ?? [];
        return source === "gnt:watcher" && !String(text).startsWith("Verifying")
          ? String(text)
          : [];
      });
    });
  },
});

const web = "web.example.com";
const nodeOf = (cluster: Cluster, name = web) =>
  cluster.snapshot().expectInstance(name).primary_node as string | undefined as string;
const drbd = (more: JsonObject = {}) => creation(web, { disk_template: "drbd", ...more });

describe("an instance", () => {
  test("a crashed instance runs again after the next round, by a job with the watcher's reason", async () => {
    const { cluster, nodes, round, job, status, done, lines } = await aWatchedCluster();
    expect((await job(creation(web)))[0]).toBe("success");
    await round();
    expect(await done()).toEqual([]);
    await nodes.stopInstance(nodeOf(cluster), web, "crash");
    expect(await status(web)).toBe("ERROR_down");
    await round();
    expect(await status(web)).toBe("running");
    expect(await done()).toEqual([`Restarting instance ${web}`]);
    await round();
    expect(await done()).toHaveLength(1);
    expect(lines).toContain("watcher: restart of instance succeeded");
    expect(await figures(cluster)).toMatchObject({ watching: 1, rounds: 3, restarts: 1 });
  });

  test("an instance shut down by the administrator stays down", async () => {
    const { round, job, status, done } = await aWatchedCluster();
    await job(creation(web));
    await job({ OP_ID: "OP_INSTANCE_SHUTDOWN", instance_name: web });
    await round();
    expect([await status(web), await done()]).toEqual(["ADMIN_down", []]);
  });

  test("an instance that keeps dying is restarted five times, then left alone", async () => {
    const notes = memoryWatcherNotes();
    const { cluster, nodes, round, job, status, done, lines } = await aWatchedCluster(notes);
    await job(creation(web));
    for (let at = 0; at < 8; at++) {
      await nodes.stopInstance(nodeOf(cluster), web, "crash");
      await round();
      // The instance dies between its restart and the next round.
      await nodes.stopInstance(nodeOf(cluster), web, "crash");
    }
    expect(await done()).toHaveLength(5);
    expect(await status(web)).toBe("ERROR_down");
    expect(lines.filter((line) => line === "watcher: giving up on instance")).toHaveLength(1);
    expect(await figures(cluster)).toMatchObject({ given_up: 1 });
    const [group] = cluster.snapshot().groups();
    const kept = JSON.parse((await notes.load(group?.uuid ?? "")) ?? "") as JsonObject;
    expect(kept.instance).toMatchObject({ [web]: { restart_count: 6 } });
  });

  test("each failed start counts as an attempt", async () => {
    const { cluster, nodes, round, job, status, done } = await aWatchedCluster();
    await job(creation(web));
    await nodes.stopInstance(nodeOf(cluster), web, "crash");
    nodes.fail({ kind: "refused", call: "instance_start" });
    for (let at = 0; at < 7; at++) await round();
    expect([await status(web), (await done()).length]).toEqual(["ERROR_down", 5]);
  });

  test("is left alone while a job holds its lock, and no attempt is counted", async () => {
    const gate = aGate("instance_shutdown");
    const notes = memoryWatcherNotes();
    const { clock, cluster, nodes, round, job, status, done, lines } = await aWatchedCluster(
      notes,
      gate.before,
    );
    await job(creation(web));
    gate.close();
    // The node has stopped the instance, but its job has not received the answer.
    const id = await cluster.queue.submit([
      { OP_ID: "OP_INSTANCE_SHUTDOWN", instance_name: web, no_remember: true },
    ]);
    await clock.pass(1000);
    await nodes.stopInstance(nodeOf(cluster), web, "crash");
    expect(await status(web)).toBe("ERROR_down");
    await clock.pass(intervalMs);
    expect(lines).toContain("watcher: leaving instance to the job that has its lock");
    expect(await done()).toEqual([]);
    const [group] = cluster.snapshot().groups();
    expect(await notes.load(group?.uuid ?? "")).not.toContain("restart_count");
    gate.open();
    await round();
    expect((await cluster.queue.ended(id)).status).toBe("success");
    expect(await done()).toHaveLength(1);
  });

  test("has its attempt recorded before the job is submitted, in case the server dies in between", async () => {
    const gate = aGate("instance_start");
    const notes = memoryWatcherNotes();
    const { clock, cluster, nodes, round, job } = await aWatchedCluster(notes, gate.before);
    await job(creation(web));
    await nodes.stopInstance(nodeOf(cluster), web, "crash");
    gate.close();
    await clock.pass(intervalMs + 1000);
    const [group] = cluster.snapshot().groups();
    const noted = await notes.load(group?.uuid ?? "");
    gate.open();
    await round();
    expect(noted).toContain('"restart_count":1');
  });

  test("an instance shut down by its user is marked as down if that is enabled", async () => {
    const { cluster, nodes, round, job, status, done } = await aWatchedCluster();
    await job(creation(web));
    await job({ OP_ID: "OP_CLUSTER_SET_PARAMS", enabled_user_shutdown: true });
    await nodes.stopInstance(nodeOf(cluster), web, "user");
    expect(await status(web)).toBe("USER_down");
    await round();
    expect(await done()).toEqual([`Cleaning up instance ${web}`]);
    const { admin_state, admin_state_source } = cluster.snapshot().expectInstance(web);
    expect([admin_state, admin_state_source]).toEqual(["down", "user"]);
    await round();
    expect([await status(web), (await done()).length]).toEqual(["USER_down", 1]);
  });

  test("on an unreachable node is left alone, and restarted when the node is back", async () => {
    const { cluster, nodes, round, job, status, done } = await aWatchedCluster();
    await job(creation(web));
    const primary = nodeOf(cluster);
    await nodes.powerOff(primary);
    await round();
    expect([await status(web), await done()]).toEqual(["ERROR_nodedown", []]);
    await nodes.powerOn(primary);
    await round();
    expect([await status(web), await done()]).toEqual(["running", [`Restarting instance ${web}`]]);
  });
});

describe("while a job works for hours", () => {
  const db = "db.example.com";

  /** Two instances, the first of which is locked by a job that does not end. */
  async function withLongJob(gate = aGate("instance_shutdown")) {
    const made = await aWatchedCluster(undefined, gate.before);
    for (const name of [web, db]) expect((await made.job(creation(name)))[0]).toBe("success");
    gate.close();
    const shutdown = { OP_ID: "OP_INSTANCE_SHUTDOWN", instance_name: web };
    const id = await made.cluster.queue.submit([shutdown]);
    await made.clock.pass(1000);
    const crash = () => made.nodes.stopInstance(nodeOf(made.cluster, db), db, "crash");
    const open = async () => {
      gate.open();
      await made.clock.pass(5000);
      return (await made.cluster.queue.ended(id)).status;
    };
    /** Summaries of the jobs that have not ended. */
    const pending = async () => {
      const rows = await made.cluster.queue.query([], ["status", "summary"]);
      return rows.flatMap((row) =>
        ["queued", "waiting", "running"].includes(row?.[0] as string)
          ? [String(row?.[1]).replace(/\(.*/, "")]
          : [],
      );
    };
    return { ...made, crash, open, pending };
  }
  const rounds = async ({ clock }: Watched, count = 1) => clock.pass(count * intervalMs + 5000);

  test("instances that die are restarted in the next round, and disks are verified", async () => {
    const made = await withLongJob();
    await rounds(made, 2);
    for (let at = 0; at < 3; at++) {
      await made.crash();
      await rounds(made);
      expect(await made.status(db)).toBe("running");
      expect(await made.pending()).toEqual(["INSTANCE_SHUTDOWN"]);
    }
    expect(await made.open()).toBe("success");
    expect(await made.done()).toEqual(Array(3).fill(`Restarting instance ${db}`));
  });

  test("a verification held back by a filter rule delays no restart, and no second one is submitted for its group", async () => {
    const made = await withLongJob();
    const { cluster } = made;
    const opcode = ["opcode", ["=", "OP_ID", "OP_GROUP_VERIFY_DISKS"]];
    await cluster.queue.addRule({ priority: 1, predicates: [opcode], action: "PAUSE" } as never);
    await rounds(made, 3);
    await made.crash();
    await rounds(made, 2);
    expect(await made.status(db)).toBe("running");
    expect(await made.pending()).toEqual(["INSTANCE_SHUTDOWN", "GROUP_VERIFY_DISKS"]);
    await made.open();
  });

  test.each(["default", "the UUID"])(
    "no verification is submitted while one of another client waits, which names its group by %s",
    async (by) => {
      const made = await withLongJob();
      const [group] = made.cluster.snapshot().groups();
      const group_name = by === "default" ? by : (group?.uuid as string);
      // A strict verification, which waits for the instance.
      await made.cluster.queue.submit([{ OP_ID: "OP_GROUP_VERIFY_DISKS", group_name }]);
      await rounds(made, 2);
      expect(await made.pending()).toEqual(["INSTANCE_SHUTDOWN", "GROUP_VERIFY_DISKS"]);
      expect(made.cluster.queue.lastId).toBe(4);
      await made.open();
    },
  );

  test("a restart that does not end keeps no other instance down, and is not repeated", async () => {
    const starts = aGate("instance_start");
    const isStartOfWeb = (call: string, args: unknown) =>
      call === "instance_start" && (args as { instance: { name: string } }).instance.name === web;
    const made = await aWatchedCluster(undefined, (nodes) =>
      interposed(nodes, (node, call, args, caller) =>
        (isStartOfWeb(call, args) ? starts.before(nodes) : nodes).call(node, call, args, caller),
      ),
    );
    for (const name of [web, db]) expect((await made.job(creation(name)))[0]).toBe("success");
    const crash = (name: string) =>
      made.nodes.stopInstance(nodeOf(made.cluster, name), name, "crash");
    starts.close();
    await crash(web);
    await rounds(made);
    await crash(db);
    await rounds(made, 2);
    expect([await made.status(web), await made.status(db)]).toEqual(["ERROR_down", "running"]);
    expect(await made.done()).toEqual([web, db].map((name) => `Restarting instance ${name}`));
    starts.open();
    await settle(made.clock, made.cluster);
    expect(await made.status(web)).toBe("running");
  });

  test.each([
    ["OP_INSTANCE_REPLACE_DISKS", { mode: "replace_auto" }, "running"],
    ["OP_INSTANCE_GROW_DISK", { disk: 0, amount: 64 }, "running"],
    ["OP_INSTANCE_MIGRATE", {}, "running"],
    ["OP_INSTANCE_FAILOVER", {}, "running"],
    ["OP_INSTANCE_ACTIVATE_DISKS", {}, "running"],
    ["OP_INSTANCE_SHUTDOWN", {}, "ERROR_down"],
    ["OP_INSTANCE_REMOVE", {}, "ERROR_down"],
    ["OP_INSTANCE_SET_PARAMS", { offline: true }, "ERROR_down"],
    ["OP_INSTANCE_REINSTALL", {}, "ERROR_down"],
    ["OP_INSTANCE_REBOOT", { reboot_type: "hard" }, "ERROR_down"],
  ])(
    "an instance for whose lock a job with %s %j waits is %s after the next round",
    async (OP_ID, more, then) => {
      const clock = new VirtualClock();
      const { nodes, stores } = await madeOn(clock);
      let waiting: readonly string[] = [];
      const monitor = async () => [
        ...(await stores.locks.monitor()),
        ...waiting.map((id) => ({
          ...{ name: `instance/${web}`, mode: null, owner: [], pending: [["exclusive", [id]]] },
        })),
      ];
      const locks = { ...stores.locks, monitor: monitor as typeof stores.locks.monitor };
      const { cluster, lines } = await opened({ ...stores, locks }, nodes, clock);
      const { job, status } = watched(clock, nodes, cluster, lines);
      expect((await job(creation(web)))[0]).toBe("success");
      const opcode = ["opcode", ["=", "OP_ID", OP_ID]];
      await cluster.queue.addRule({ priority: 1, predicates: [opcode], action: "PAUSE" } as never);
      const id = await cluster.queue.submit([{ OP_ID, instance_name: web, ...more } as JsonObject]);
      waiting = [String(id)];
      await nodes.stopInstance(nodeOf(cluster), web, "crash");
      await clock.pass(intervalMs + 5000);
      expect(await status(web)).toBe(then);
    },
  );
});

test("after a reboot of a secondary node the disks there are activated once", async () => {
  const { cluster, nodes, round, job, done } = await aWatchedCluster();
  expect((await job(drbd()))[0]).toBe("success");
  await round();
  const before = (await done()).length;
  const now = cluster.snapshot();
  const [secondary = ""] = secondaryNodes(now, now.expectInstance(web));
  await nodes.powerOff(secondary);
  await nodes.powerOn(secondary);
  await round();
  const after = await done();
  expect(after.length).toBeGreaterThan(before);
  expect(new Set(after)).toEqual(new Set([`Activating disks for instance ${web}`]));
  const [side] = Object.values(nodes.stateOf(secondary)?.drbd ?? {});
  expect(side).toMatchObject({ peer: expect.anything() });
  await round();
  expect(await done()).toHaveLength(after.length);
});

test("however many instances need a job, the watcher leaves half of the queue's slots to other clients", async () => {
  const gate = aGate("blockdev_assemble");
  const { clock, cluster, nodes, round, job, done } = await aWatchedCluster(undefined, gate.before);
  const names = Array.from({ length: 12 }, (_, at) => `web${at}.example.com`);
  const place = { iallocator: null, pnode: "node1.example.com", snode: "node2.example.com" };
  for (const name of names) {
    expect((await job(creation(name, { disk_template: "drbd", ...place })))[0]).toBe("success");
  }
  await round();
  const { uuid } = cluster.snapshot().expectNode("node2.example.com");
  await nodes.powerOff(uuid);
  await nodes.powerOn(uuid);
  await cluster.queue.change({ runningMax: 6 });
  gate.close();
  await clock.pass(intervalMs + 1000);
  const begun = await done();
  const id = await cluster.queue.submit([{ OP_ID: "OP_TAGS_GET", kind: "cluster" }]);
  await clock.pass(1000);
  const [other] = await cluster.queue.query([id], ["status"]);
  gate.open();
  expect([begun.length, other]).toEqual([3, ["success"]]);
  await round();
  expect([...(await done())].sort()).toEqual(
    names.map((name) => `Activating disks for instance ${name}`).sort(),
  );
});

describe("nothing is done", () => {
  test("while the watcher is paused; after the pause it is", async () => {
    const { clock, cluster, nodes, round, job, status } = await aWatchedCluster();
    await job(creation(web));
    await nodes.stopInstance(nodeOf(cluster), web, "crash");
    await cluster.objects.pauseWatcher(clock.wallMicros() / 1e6 + 1.5 * (intervalMs / 1000));
    await round();
    expect([await status(web), (await figures(cluster)).rounds]).toEqual(["ERROR_down", 0]);
    await round();
    expect(await status(web)).toBe("running");
  });

  test("while the queue is drained", async () => {
    const { cluster, nodes, round, job, status, lines } = await aWatchedCluster();
    await job(creation(web));
    await nodes.stopInstance(nodeOf(cluster), web, "crash");
    await cluster.queue.change({ drained: true });
    await round();
    expect(await status(web)).toBe("ERROR_down");
    expect(lines).toContain("watcher: the queue is drained, so nothing is restarted");
    await cluster.queue.change({ drained: false });
    await round();
    expect(await status(web)).toBe("running");
  });

  test("after the cluster was stopped", async () => {
    const { clock, cluster, nodes, job } = await aWatchedCluster();
    await job(creation(web));
    const primary = nodeOf(cluster);
    await nodes.stopInstance(primary, web, "crash");
    await cluster.stop();
    await clock.pass(2 * intervalMs);
    expect(nodes.stateOf(primary)?.instances).toEqual({});
  });
});

test("jobs that ended more than six hours ago are archived, and verifications at once", async () => {
  const { clock, cluster, round, job } = await aWatchedCluster();
  await job(creation(web));
  await round();
  const ids = async () => (await cluster.queue.query([], ["id"])).map((row) => row?.[0]);
  expect(await ids()).toEqual([1]);
  await clock.pass(6 * 3600_000);
  await round();
  expect(await ids()).toEqual([]);
});

test("of two servers on one database one watches; when it dies, the other one takes over", async () => {
  const clock = new VirtualClock();
  const nodes = await simulatedNodes(clock);
  const database = new MemoryDatabase(clock, { leaseMs: 30_000 });
  const store = memoryLockStore();
  const stopped = new VirtualClock();
  const [one, two] = createMemoryStores(2).map((config, at) => ({
    jobs: database.connect(at === 0 ? stopped : clock),
    config,
    locks: createLockManager({ store, clock: at === 0 ? stopped : clock }),
  }));
  if (one === undefined || two === undefined) throw new Error("no stores");
  await createCluster(threeNodes, { ...basics, nodes: portsOf(nodes), clock, store: one.config });
  // The clock of the first server advances with the test's, until it dies.
  const first = await opened(one, nodes, stopped);
  const second = await opened(two, nodes, clock);
  const id = await second.cluster.queue.submit([creation(web)]);
  const both = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 10_000) {
      await stopped.pass(10_000);
      await clock.pass(10_000);
    }
    await settle(clock, second.cluster);
  };
  await both(20_000);
  expect((await second.cluster.queue.ended(id)).status).toBe("success");
  await nodes.stopInstance(nodeOf(second.cluster), web, "crash");
  await both(intervalMs);
  const running = () => nodes.stateOf(nodeOf(second.cluster))?.instances[web]?.state;
  expect(running()).toBe("running");
  const shares = [await figures(first.cluster), await figures(second.cluster)];
  expect(shares.map(({ watching }) => watching).sort()).toEqual([0, 1]);
  expect(shares.map(({ restarts }) => restarts).sort()).toEqual([0, 1]);
  expect(shares[0]?.watching).toBe(1);

  await nodes.stopInstance(nodeOf(second.cluster), web, "crash");
  await clock.pass(2 * intervalMs);
  await settle(clock, second.cluster);
  expect(running()).toBe("running");
  expect(await figures(second.cluster)).toMatchObject({ watching: 1, restarts: 1 });
  await stopped.pass(31_000);
});

test("a server that has lost its lease, and so the lock of its watcher, can still be closed", async () => {
  const clock = new VirtualClock();
  const { nodes, stores } = await madeOn(clock);
  const release = () => Promise.reject(new LeaseLostError("worker 1:1 has lost its lease"));
  const locks = { ...stores.locks, release };
  const { cluster } = await opened({ ...stores, locks }, nodes, clock);
  await passRound(clock, cluster);
  expect((await figures(cluster)).watching).toBe(1);
  await cluster.close();
  await expect(cluster.queue.submit([])).rejects.toThrow();
});
