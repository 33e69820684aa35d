// A whole cluster with this package alone: creation, queries, jobs and closing.
import { type ConfigurationStep, createMemoryStore } from "@ganeti-ts/config";
import { OperationError } from "@ganeti-ts/job-queue";
import { type Json, writeJson } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import {
  createCluster,
  memoryStores,
  NewClusterError,
  openCluster,
  type Planned,
} from "../src/index.js";
import { aCluster, basics, creation, portsOf, simulatedNodes, threeNodes } from "./a-cluster.js";

const planned = (more: Planned = {}): Planned => ({ disk_template: "plain", ...more });

test("instances are created where they were planned, listed and stopped", async () => {
  const { cluster, nodes } = await aCluster();
  const { queue, objects, planner } = cluster;
  const place = await planner.place(planned({ disks: [{ size: 1024 }] }));
  expect(place.nodes).toEqual([expect.stringMatching(/^node[123]\.example\.com$/)]);
  const id = await queue.submit([creation("web.example.com")]);
  expect(await cluster.queue.ended(id)).toEqual({ status: "success", results: [place.nodes] });

  const list = async () =>
    (await objects.query("instance", ["name", "pnode", "status"], null)).data.map((row) =>
      row.map(([, value]) => value),
    );
  expect(await list()).toEqual([["web.example.com", place.nodes[0], "running"]]);
  expect(objects.names("instance")).toEqual(["web.example.com"]);
  const shutdown = { OP_ID: "OP_INSTANCE_SHUTDOWN", instance_name: "web.example.com" };
  expect((await cluster.queue.ended(await queue.submit([shutdown]))).status).toBe("success");
  expect(await list()).toEqual([["web.example.com", place.nodes[0], "ADMIN_down"]]);
  const node = cluster.snapshot().findNode(place.nodes[0] ?? "")?.uuid ?? "";
  expect(Object.keys(nodes.stateOf(node)?.instances ?? {})).toEqual([]);
});

test("lists of names follow added, changed and removed objects, and are the same arrays otherwise", async () => {
  const { cluster } = await aCluster();
  const { objects, queue } = cluster;
  const run = async (opcode: object) =>
    expect((await queue.ended(await queue.submit([opcode as never]))).status).toBe("success");
  const seen = [objects.names("group")];
  await run({ OP_ID: "OP_GROUP_ADD", group_name: "second" });
  seen.push(objects.names("group"));
  await run({ OP_ID: "OP_TAGS_SET", kind: "nodegroup", name: "second", tags: ["a"] });
  expect(objects.names("group")).toBe(seen[1]);
  await run({ OP_ID: "OP_GROUP_RENAME", group_name: "second", new_name: "other" });
  seen.push(objects.names("group"));
  await run({ OP_ID: "OP_GROUP_REMOVE", group_name: "other" });
  seen.push(objects.names("group"));
  const [[first]] = seen as [[string]];
  expect(seen).toEqual([[first], [first, "second"], [first, "other"].sort(), [first]]);
});

test("plans have values as answers and protocol-independent errors as refusals", async () => {
  const { cluster } = await aCluster();
  const { planner } = cluster;
  const small = planned({ disks: [{ size: 1024 }], beparams: { memory: 1024 } });
  const explanation = await planner.explain(small);
  expect(explanation.instances[0]?.choice?.text).toEqual(expect.any(String));
  const { nodes } = await planner.place(small);
  expect(explanation.instances[0]?.choice?.nodes).toEqual(nodes);
  // One for each node except the one kept free, so that every node can be evacuated.
  const large = planned({ disks: [{ size: 1024 }], beparams: { memory: "16g" } });
  const { count } = await planner.capacity(large);
  expect(count).toBe(2);
  expect((await planner.balance(null, -1)).moved).toEqual([]);
  await expect(planner.place(planned({ beparams: { memory: "64g" } }))).rejects.toThrow(
    OperationError,
  );
  await expect(planner.balance("nosuch", -1)).rejects.toThrow(OperationError);
});

test("a follower of events gets every change of jobs and configuration", async () => {
  const { cluster } = await aCluster();
  const steps: ConfigurationStep[] = [];
  cluster.onChange((step) => steps.push(step));
  const reported: number[] = [];
  const ended = new Promise<void>((resolve) => {
    cluster.events.follow({ more: () => reported.push(cluster.events.last), end: resolve });
  });
  const tags = { OP_ID: "OP_TAGS_SET", kind: "cluster", tags: ["a"] };
  await cluster.queue.ended(await cluster.queue.submit([tags]));
  expect(cluster.objects.tags("cluster", "")).toEqual(["a"]);
  expect(steps.map(({ after }) => after.cluster.tags)).toEqual([["a"]]);
  expect(steps[0]?.after).toBe(cluster.snapshot());
  await cluster.stop();
  await ended;
  const seen = cluster.events.since(0) ?? [];
  expect(reported).toEqual(seen.map(({ number }) => number));
  expect(new Set(seen.map(({ kind }) => kind))).toEqual(new Set(["job", "config"]));
});

test("secrets in a job's opcodes are never shown", async () => {
  const { cluster } = await aCluster();
  const delay = { OP_ID: "OP_TEST_DELAY", duration: 60, on_master: true };
  const sent = creation("web.example.com", { osparams_secret: { unknown: "hunter2" } });
  const id = await cluster.queue.submit([delay, sent]);
  const [row] = await cluster.queue.query([id], ["ops"]);
  const answer = await cluster.queue.waitForChange(id, {
    fields: ["ops"],
    previousValues: null,
    previousSerial: null,
    timeoutMs: 1000,
  });
  const { data } = await cluster.objects.query("job", ["ops"], null);
  for (const shown of [row, answer, data]) {
    expect(writeJson(shown as Json)).toContain("<redacted>");
    expect(writeJson(shown as Json)).not.toContain("hunter2");
  }
  await cluster.queue.cancel(id, { kill: true });
});

test("gauges return numbers on demand", async () => {
  const { cluster } = await aCluster();
  await cluster.queue.ended(await cluster.queue.submit([creation("web.example.com")]));
  const figures = Object.fromEntries(
    await Promise.all(cluster.gauges.map(async ({ name, read }) => [name, await read()] as const)),
  );
  expect(figures).toMatchObject({
    ganeti_jobs: { success: 1 },
    ganeti_locks: { held: 0, held_by_servers: 0, waited_for: 0 },
    ganeti_claims: { creation: 0, commit: 0, space: 0, removal: 0, export: 0, recreation: 0 },
    ganeti_objects: { node: 3, group: 1, instance: 1, network: 0, disk: 1 },
    ganeti_config_serial: { serial: cluster.snapshot().serial },
    ganeti_group_score: { default: expect.any(Number) },
    ganeti_group_n1_failing_nodes: { default: 0 },
  });
});

test("the configured maximum of running jobs is applied", async () => {
  const { cluster } = await aCluster();
  expect(cluster.queue.settings.runningMax).toBe(cluster.snapshot().cluster.max_running_jobs);
  const opcode = { OP_ID: "OP_CLUSTER_SET_PARAMS", max_running_jobs: 3 };
  await cluster.queue.ended(await cluster.queue.submit([opcode]));
  await expect.poll(() => cluster.queue.settings.runningMax).toBe(3);
});

test("commands run on single nodes by name, and the master stores the watcher's pause", async () => {
  const { cluster, nodes } = await aCluster();
  const { objects } = cluster;
  expect(await objects.runOnNode("nosuch", "true")).toBeUndefined();
  const file = { path: "/etc/motd", content: "hello\n", mode: 0o644 };
  expect(await objects.fileToNode("node2", file)).toEqual({ ok: true, value: null });
  expect(await objects.runOnNode("node2", "cat /etc/motd")).toMatchObject({ ok: true });
  expect(await objects.watcherPause()).toBeNull();
  expect(await objects.pauseWatcher(1_900_000_000)).toEqual({ ok: true, value: null });
  expect(await objects.watcherPause()).toBe(1_900_000_000);
  await nodes.powerOff(cluster.snapshot().cluster.master_node);
  expect(await objects.pauseWatcher(null)).toMatchObject({ ok: false });
});

describe("cluster creation", () => {
  const make = async (more: object = {}) => {
    const stores = memoryStores(basics);
    const made = createCluster(
      { ...threeNodes, ...more },
      { ...basics, nodes: portsOf(await simulatedNodes()), store: stores.config },
    );
    return { stores, made };
  };

  test("creating a cluster over an existing one is refused and changes nothing", async () => {
    const { stores, made } = await make();
    expect(await made).toBe(true);
    const before = await stores.config.load();
    const ports = { ...basics, nodes: portsOf(await simulatedNodes()), store: stores.config };
    expect(await createCluster({ ...threeNodes, name: "other.example.com" }, ports)).toBe(false);
    expect(await stores.config.load()).toEqual(before);
  });

  test("a new cluster contains the certificates of its candidates, so verification finds no errors", async () => {
    const { cluster } = await aCluster();
    const id = await cluster.queue.submit([{ OP_ID: "OP_CLUSTER_VERIFY_CONFIG" }]);
    expect(await cluster.queue.ended(id)).toEqual({ status: "success", results: [true] });
    const candidates = [...cluster.snapshot().nodes()].filter((node) => node.master_candidate);
    expect(Object.keys(cluster.snapshot().cluster.candidate_certs).sort()).toEqual(
      candidates.map(({ uuid }) => uuid as string).sort(),
    );
  });

  test("a creation with an invalid parameter stores nothing", async () => {
    const { stores, made } = await make({ parameters: { beparams: { minmem: 512 } } });
    await expect(made).rejects.toThrow(NewClusterError);
    expect((await stores.config.load()).serial).toBe(0);
  });

  test("opening a cluster that was not created is refused", async () => {
    const stores = { ...memoryStores(basics), config: createMemoryStore() };
    const opened = openCluster({ ...basics, stores, nodes: portsOf(await simulatedNodes()) });
    await expect(opened).rejects.toMatchObject({ name: "ConfigError", code: "wrong_state" });
  });
});
