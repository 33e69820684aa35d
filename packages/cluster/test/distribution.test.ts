// Copies in Ganeti's formats on nodes and master candidates.
import { createMemoryStores } from "@ganeti-ts/config";
import { type JobStore, LeaseLostError } from "@ganeti-ts/job-queue";
import type { NodeBackend, NodeCallName } from "@ganeti-ts/node-calls";
import { answered, failed } from "@ganeti-ts/node-calls";
import type { JobId, JsonObject } from "@ganeti-ts/protocol";
import type { SimulatedNodes } from "@ganeti-ts/simulated-nodes";
import { VirtualClock } from "@ganeti-ts/testkit/simulation";
import { expect, test } from "vitest";
import { NodeLane } from "../src/distribution/node-lane.js";
import {
  type Cluster,
  type ClusterPorts,
  createCluster,
  ForeignChangeError,
  type GanetiFiles,
  memoryStores,
  memoryStoresOf,
  openCluster,
} from "../src/index.js";
import { silentLog } from "../src/log.js";
import { nobody } from "../src/nodes/asking-nodes.js";
import { basics, closing, interposed, portsOf, simulatedNodes, threeNodes } from "./a-cluster.js";
import { memoryFiles } from "./ganeti-files.js";

const data = "/var/lib/ganeti";
const tagged = (tag: string): JsonObject => ({
  OP_ID: "OP_TAGS_SET",
  kind: "cluster",
  name: "",
  tags: [tag],
});

/** A cluster whose calls to nodes are recorded, and fail while the node is in `away`. */
async function adopted(options: Partial<ClusterPorts["distribution"]> = {}) {
  const clock = new VirtualClock();
  const simulated = await simulatedNodes(clock);
  const stores = memoryStores({ clock });
  const away = new Set<string>();
  const calls: { node: string; name: NodeCallName; args: unknown }[] = [];
  let cluster: Cluster | undefined;
  const nameOf = (uuid: string) =>
    [...(cluster?.snapshot().nodes() ?? [])].find((node) => node.uuid === uuid)?.name ?? uuid;
  const backend = interposed(simulated, async (node, name, args, caller) => {
    calls.push({ node: nameOf(node), name, args });
    if (away.has(nameOf(node))) return failed("Error 7: Failed connect");
    return simulated.call(node, name, args, caller);
  });
  const ports = { ...basics, nodes: portsOf(simulated, backend), clock };
  const made = createCluster(threeNodes, { ...ports, store: stores.config });
  await clock.pass(1000);
  await made;
  const files = memoryFiles();
  const distribution = { files, queueIsComplete: true, ...options };
  const opening = openCluster({ ...ports, stores, distribution });
  await clock.pass(100);
  cluster = closing(await opening);
  await clock.pass(2000);
  const [first, second, third] = [...cluster.snapshot().nodes()].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  const copies = (uuid = "") => filesOf(simulated, uuid);
  return {
    ...{ cluster, files, clock, away, calls },
    second: { name: second?.name ?? "", files: () => copies(second?.uuid) },
    third: { name: third?.name ?? "", files: () => copies(third?.uuid) },
    /** Replaces `config.data` on a node without the distribution. */
    async tamper(node: number, content: string) {
      const { uuid = "" } = [first, second, third][node] ?? {};
      const file = { owner: "o", group: "g", mode: 0o640, accessedAt: 1, modifiedAt: 1 };
      const upload = { path: `${data}/config.data`, content, ...file };
      await simulated.call(uuid, "upload_file_single", upload, nobody);
    },
    async run(...opcodes: JsonObject[]) {
      const [id] = await Promise.all([cluster.queue.submit(opcodes), clock.pass(2000)]);
      return id;
    },
  };
}

/** The stores of two servers with a cluster, which neither has opened yet. */
async function twoStores() {
  const clock = new VirtualClock();
  const [first, second] = memoryStoresOf(2, { clock });
  if (first === undefined || second === undefined) throw new Error("two were asked for");
  const ports = { ...basics, nodes: portsOf(await simulatedNodes(clock)), clock };
  const within = async <Value>(work: Promise<Value>, ms = 2000): Promise<Value> => {
    await clock.pass(ms);
    return work;
  };
  await within(createCluster(threeNodes, { ...ports, store: first.config }));
  return { first, second, ports, within, clock };
}

const filesOf = (simulated: SimulatedNodes, uuid: string): Readonly<Record<string, string>> =>
  simulated.stateOf(uuid)?.files ?? {};

test("candidates hold the configuration, ssconf values and files of jobs after each change", async () => {
  const { run, files, second } = await adopted();
  const id = await run(tagged("rack:1"));
  const copy = second.files();
  expect(JSON.parse(copy[`${data}/config.data`] ?? "").cluster.tags).toEqual(["rack:1"]);
  expect(copy[`${data}/config.data`]).toBe(files.configurations.at(-1));
  expect(copy[`${data}/ssconf_cluster_tags`]).toBe("rack:1\n");
  expect(copy[`${data}/queue/serial`]).toBe(`${id}\n`);
  const job = JSON.parse(copy[`${data}/queue/job-${id}`] ?? "");
  expect([job.id, job.ops[0].status]).toEqual([id, "success"]);
  expect(files.queue.get(`job-${id}`)).toBe(copy[`${data}/queue/job-${id}`]);
});

test("a change by another server during the first write of the configuration reaches the candidates", async () => {
  const { first, second, ports, within, clock } = await twoStores();
  const other = await within(openCluster({ ...ports, stores: first }));
  const files = memoryFiles();
  const slow: GanetiFiles = {
    ...files,
    async writeConfiguration(text) {
      await new Promise<void>((resolve) => clock.after(5000, resolve));
      return files.writeConfiguration(text);
    },
  };
  const distribution = { files: slow, queueIsComplete: true };
  const opening = openCluster({ ...ports, stores: second, distribution });
  await clock.pass(1000);
  await within(other.queue.submit([tagged("late")]));
  const cluster = await within(opening, 60_000);
  expect(JSON.parse(files.configurations.at(-1) ?? "").cluster.tags).toEqual(["late"]);
  await within(Promise.all([cluster.close(), other.close()]), 60_000);
});

test("a write that hung for minutes does not delay the next one for as long", async () => {
  const files = memoryFiles();
  let hangMs = 0;
  const { run, clock } = await adopted({
    files: {
      ...files,
      async writeConfiguration(text) {
        const written = await files.writeConfiguration(text);
        const ms = hangMs;
        hangMs = 0;
        if (ms > 0) await new Promise<void>((resolve) => void setWhen(ms, resolve));
        return written;
      },
    },
  });
  const setWhen = (ms: number, then: () => void) => clock.after(ms, then);
  hangMs = 600_000;
  await run(tagged("first"));
  await clock.pass(600_000);
  await run(tagged("second"));
  await clock.pass(60_000);
  const { tags } = JSON.parse(files.configurations.at(-1) ?? "").cluster;
  expect(tags).toEqual(["first", "second"]);
});

test("the number of the last job is kept although that job is archived", async () => {
  const { first, second, ports, within } = await twoStores();
  const before = await within(openCluster({ ...ports, stores: first }));
  const id = await within(before.queue.submit([tagged("x")]));
  expect(await within(before.queue.archive(id))).toBe(true);
  await within(before.close());
  const files = memoryFiles();
  const distribution = { files, queueIsComplete: true };
  const cluster = await within(openCluster({ ...ports, stores: second, distribution }));
  expect(files.queue.get("serial")).toBe(`${id}\n`);
  await within(cluster.close());
});

test("a job that ends while its server starts is complete on the master, although the candidates had all jobs before", async () => {
  const { first, second, ports, within } = await twoStores();
  const files = memoryFiles();
  const distribution = { files, queueIsComplete: true };
  const before = await within(
    openCluster({ ...ports, stores: first, distribution, runsJobs: false }),
  );
  const id = await within(before.queue.submit([tagged("x")]));
  await within(before.close());
  expect(before.copies?.isComplete).toBe(true);
  const cluster = await within(openCluster({ ...ports, stores: second, distribution }));
  expect((await within(cluster.queue.ended(id))).status).toBe("success");
  expect(JSON.parse(files.queue.get(`job-${id}`) ?? "").ops[0].status).toBe("success");
  await within(cluster.close());
});

test("only ssconf values that have changed are sent", async () => {
  const { run, calls } = await adopted();
  calls.length = 0;
  await run(tagged("rack:1"));
  const sent = calls.filter(({ name }) => name === "write_ssconf_files");
  expect(sent).toHaveLength(3);
  expect(new Set(sent.map(({ args }) => JSON.stringify(args)))).toEqual(
    new Set(['{"values":{"cluster_tags":["rack:1"]}}']),
  );
});

test("a candidate that was away during fifty changes gets the newest state of each copy once", async () => {
  const { run, away, second, third, calls, clock, files } = await adopted();
  away.add(third.name);
  const ids: number[] = [];
  for (let n = 0; n < 50; n++) ids.push(await run(tagged(`n:${n}`)));
  expect(second.files()[`${data}/queue/job-${ids.at(-1)}`]).toBeDefined();
  away.delete(third.name);
  calls.length = 0;
  await clock.pass(61_000);
  const copy = third.files();
  expect(copy[`${data}/config.data`]).toBe(files.configurations.at(-1));
  expect(copy[`${data}/ssconf_cluster_tags`]).toBe(second.files()[`${data}/ssconf_cluster_tags`]);
  for (const id of ids) {
    expect(copy[`${data}/queue/job-${id}`]).toBe(second.files()[`${data}/queue/job-${id}`]);
  }
  const caught = calls.filter(({ node }) => node === third.name).map(({ name }) => name);
  expect(caught.filter((name) => name === "jobqueue_update")).toHaveLength(51);
  expect(caught.filter((name) => name === "upload_file_single")).toHaveLength(1);
});

test("a node that has failed for a long time gets its copies as soon as it becomes a candidate again", async () => {
  const { run, away, third, clock, files } = await adopted();
  const candidate = (is: boolean) =>
    run({ OP_ID: "OP_NODE_SET_PARAMS", node_name: third.name, master_candidate: is, force: true });
  await candidate(false);
  away.add(third.name);
  for (let n = 0; n < 5; n++) {
    await run(tagged(`n:${n}`));
    await clock.pass(30_000);
  }
  away.delete(third.name);
  await candidate(true);
  await clock.pass(500);
  expect(third.files()[`${data}/config.data`]).toBe(files.configurations.at(-1));
});

test("the number of a job is sent before its file, and archived jobs are moved", async () => {
  const { run, calls, second, files, cluster, clock } = await adopted();
  calls.length = 0;
  const id = await run(tagged("x"));
  const paths = calls
    .filter(({ node, name }) => node === second.name && name === "jobqueue_update")
    .map(({ args }) => (args as { path: string }).path.split("/").at(-1));
  expect(paths[0]).toBe("serial");
  expect(paths).toContain(`job-${id}`);
  void cluster.queue.archive(id);
  await clock.pass(2000);
  expect(files.queue.has(`archive/0/job-${id}`)).toBe(true);
  const copy = second.files();
  expect(copy[`${data}/queue/job-${id}`]).toBeUndefined();
  expect(copy[`${data}/queue/archive/0/job-${id}`]).toBe(files.queue.get(`archive/0/job-${id}`));
});

test("filter rules and the drain flag are copied as well", async () => {
  const { cluster, clock, files, second } = await adopted();
  void cluster.queue.addRule({ priority: 1, predicates: [], action: "ACCEPT" });
  void cluster.queue.change({ drained: true });
  await clock.pass(2000);
  const { filters } = JSON.parse(second.files()[`${data}/config.data`] ?? "");
  expect(Object.values(filters)).toEqual([expect.objectContaining({ action: "ACCEPT" })]);
  expect(files.isDrained).toBe(true);
  expect(second.files()[`${data}/queue/drain`]).toBe("");
});

test("the server stops its work when another program has become the master", async () => {
  const { run, files, clock, calls, cluster } = await adopted();
  await run(tagged("before"));
  const written = files.configurations.length;
  files.foreign = "ssconf_master_node names node2.example.com";
  await clock.pass(11_000);
  expect(cluster.copies?.halted).toBe("ssconf_master_node names node2.example.com");
  calls.length = 0;
  await expect(cluster.queue.submit([tagged("after")])).rejects.toThrow("stopped");
  await clock.pass(61_000);
  expect(calls).toEqual([]);
  expect(files.configurations).toHaveLength(written);
  expect(cluster.snapshot().cluster.tags).toEqual(["before"]);
});

test("no job starts if another program is the master already", async () => {
  const { files } = await adopted();
  files.foreign = "config.data was replaced";
  const stores = memoryStores({ clock: basics.clock });
  const nodes = portsOf(await simulatedNodes());
  await createCluster(threeNodes, { ...basics, nodes, store: stores.config });
  const distribution = { files, queueIsComplete: true };
  await expect(openCluster({ ...basics, nodes, stores, distribution })).rejects.toThrow(
    ForeignChangeError,
  );
});

test("non-ASCII values are refused, and only the affected job among several", async () => {
  const { cluster, run, clock } = await adopted();
  await expect(run(tagged("größe"))).rejects.toThrow("outside of ASCII; found in: 0/tags/0");
  const answers = cluster.queue.submitMany([[tagged("ä")], [tagged("a")]]);
  await clock.pass(1000);
  expect(await answers).toEqual([
    [false, expect.stringContaining("outside of ASCII")],
    [true, expect.any(Number)],
  ]);
});

test("with waitForCopies a submission is acknowledged when candidates have the job", async () => {
  const { cluster, second, clock } = await adopted({ waitForCopies: true });
  const submitted = cluster.queue.submit([tagged("x")]);
  let copied: string | undefined;
  void submitted.then((id) => {
    copied = second.files()[`${data}/queue/job-${id}`];
  });
  await clock.pass(0);
  await submitted;
  expect(copied).toContain('"id":1');
});

test("files that could not be written are written later, and the copies are complete when the cluster closes", async () => {
  const { run, files, clock, cluster, second } = await adopted();
  files.fault = new Error("No space left on device");
  const id = await run(tagged("later"));
  expect(second.files()[`${data}/queue/job-${id}`]).toBeUndefined();
  files.fault = undefined;
  await clock.pass(3000);
  expect(second.files()[`${data}/queue/job-${id}`]).toBeDefined();
  expect(JSON.parse(files.configurations.at(-1) ?? "").cluster.tags).toEqual(["later"]);
  await cluster.close();
  expect(cluster.copies?.isComplete).toBe(true);
});

test("redist-conf sends everything again", async () => {
  const { run, calls, second } = await adopted();
  calls.length = 0;
  await run({ OP_ID: "OP_CLUSTER_REDIST_CONF" });
  const names = calls.filter(({ node }) => node === second.name).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["write_ssconf_files", "upload_file_single"]));
  const [ssconf] = calls.filter(({ name }) => name === "write_ssconf_files");
  expect(
    Object.keys((ssconf?.args as { values: object } | undefined)?.values ?? {}).length,
  ).toBeGreaterThan(20);
});

test("verification reports candidates whose copies of the configuration differ", async () => {
  const { cluster, clock, files, tamper, run, third } = await adopted();
  const verify = async () => {
    const id = await run({ OP_ID: "OP_CLUSTER_VERIFY_GROUP", group_name: "default" });
    await clock.pass(5000);
    const [row] = await cluster.queue.query([id], ["oplog"]);
    return JSON.stringify(row).match(/File [^ ]*config.data found[^"]*/)?.[0];
  };
  await tamper(0, files.configurations.at(-1) ?? "");
  expect(await verify()).toBeUndefined();
  await tamper(2, "{}");
  expect(await verify()).toContain(`on ${third.name}`);
});

/** A store that refuses steps when `isLost` is true, before its worker knows that it lost its lease. */
function losing(store: JobStore, isLost: () => boolean): JobStore {
  const { claim, leaseMs } = store;
  return {
    ...{ claim, leaseMs, shared: true },
    leaseLeftMs: () => store.leaseLeftMs(),
    onNews: (listener) => store.onNews(listener),
    step: async (wanted, decide) => {
      if (isLost()) throw new LeaseLostError("worker 1:1 has lost its lease");
      await store.step(wanted, decide);
    },
    read: (ids) => store.read(ids),
    list: (selection) => store.list(selection),
    close: (busy) => store.close(busy),
  };
}

test("a server that has lost its lease and learns of a new candidate reports only the lost lease", async () => {
  const clock = new VirtualClock();
  const nodes = await simulatedNodes(clock);
  const [first, second] = createMemoryStores(2);
  if (first === undefined || second === undefined) throw new Error("no stores");
  const ports = { ...basics, nodes: portsOf(nodes), clock };
  await createCluster(threeNodes, { ...ports, store: first });
  let isLost = false;
  const own = memoryStores({ clock });
  const stores = { ...own, jobs: losing(own.jobs, () => isLost), config: first };
  const distribution = { files: memoryFiles(), queueIsComplete: true };
  const dying = await openCluster({ ...ports, stores, distribution });
  const heir = await openCluster({
    ...ports,
    stores: { ...memoryStores({ clock }), config: second },
  });
  const nodeName = "node3.example.com";
  const isCandidate = async (wanted: boolean) => {
    const opcode = { OP_ID: "OP_NODE_SET_PARAMS", node_name: nodeName, force: true };
    const id = await heir.queue.submit([{ ...opcode, master_candidate: wanted }]);
    await clock.pass(100);
    expect((await heir.queue.ended(id)).status).toBe("success");
    const roles = () => [...dying.snapshot().nodes()].find(({ name }) => name === nodeName);
    await expect.poll(() => roles()?.master_candidate).toBe(wanted);
  };
  await isCandidate(false);
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  process.on("unhandledRejection", note);
  isLost = true;
  await isCandidate(true);
  expect((await dying.lost).message).toBe("worker 1:1 has lost its lease");
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
  await heir.close();
});

/** The lane of a candidate that accepts everything; the last job is number 4. */
function aLane(jobText: () => Promise<string> = async () => "{}") {
  const sent: string[] = [];
  const nodes: NodeBackend = {
    introduce: async () => undefined,
    async call(_node, name, args) {
      if (name === "jobqueue_update")
        sent.push((args as { path: string }).path.split("/").at(-1) ?? "");
      return answered(null) as never;
    },
  };
  const none = { ssconf: {}, configuration: undefined, rest: undefined, drained: false };
  const node = { uuid: "n", name: "n", online: true, candidate: true };
  const ports = { nodes, caller: nobody, clock: new VirtualClock(), log: silentLog };
  return { lane: new NodeLane(node, { ...none, serial: 4, jobText }, ports), node, sent };
}

test("a job with a number that the candidate does not have yet is not sent, and the lane ends", async () => {
  const { lane, sent } = aLane();
  lane.oweJobs([4 as JobId, 5 as JobId]);
  expect(await lane.attempt()).toMatch(/^job 5: /);
  lane.oweJobs([3 as JobId]);
  expect(await lane.attempt()).toBeUndefined();
  expect(sent).toEqual(["serial", "job-4"]);
});

test("a node that comes back while a job is being read gets the last number before the job", async () => {
  let read = () => {};
  const { lane, node, sent } = aLane(
    () =>
      new Promise((resolve) => {
        read = () => resolve("{}");
      }),
  );
  lane.oweJobs([4 as JobId]);
  const attempt = lane.attempt();
  await new Promise<void>((resolve) => setImmediate(resolve));
  lane.change({ ...node, online: false });
  lane.change(node);
  lane.oweJobs([4 as JobId]);
  read();
  await new Promise<void>((resolve) => setImmediate(resolve));
  read();
  expect(await attempt).toBeUndefined();
  expect(sent).toEqual(["serial", "serial", "job-4"]);
});

test("a configuration with a lower serial number is not written, and the server stops its work", async () => {
  const { cluster, files, run, clock } = await adopted();
  await run(tagged("first"));
  const written = files.configurations.length;
  const { serial } = cluster.snapshot();
  Object.assign(cluster.snapshot(), { serial: serial - 1 });
  await Promise.all([cluster.queue.change({ sizeMax: 10 }), clock.pass(10_000)]);
  expect(files.configurations).toHaveLength(written);
  expect(cluster.copies?.halted).toMatch(/config.data: serial number/);
});
