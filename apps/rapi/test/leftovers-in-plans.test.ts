// Claims on leftovers of a failover on a dead node do not count as instances in plans, figures and checks.
import type { Json } from "@ganeti-ts/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { done, endOf, run, withInstances } from "./instances.js";
import { aServer, type TestServer } from "./served.js";

let server: TestServer;
const dead = "node2.example.com";

const ask = async (method: string, path: string, body?: Json) =>
  JSON.parse((await server.send(method, `/ganeti-ts/1/${path}`, body)).text);

beforeAll(async () => {
  server = await aServer("--no-ssl", "--groups=1", "--nodes=3");
  await withInstances(server, [
    {
      instance_name: "web.example.com",
      pnode: dead,
      snode: "node1.example.com",
      iallocator: undefined as never,
    },
  ]);
  await ask("PUT", `simulation/${dead}`, { action: "kill" });
  const node = { node_name: dead, force: true, offline: true };
  for (const opcode of [
    { OP_ID: "OP_NODE_SET_PARAMS", ...node },
    { OP_ID: "OP_INSTANCE_FAILOVER", instance_name: "web.example.com" },
  ]) {
    await done(server, opcode);
  }
  const now = server.cluster.snapshot();
  expect([now.count("claim"), now.instanceCount]).toEqual([1, 1]);
});
afterAll(() => server?.end());

test("plans move instances alone", async () => {
  const evacuation = await ask("POST", "evacuation", { nodes: [dead], scope: "all" });
  const named = [...evacuation.moves, ...evacuation.stuck];
  expect(named.map(({ instance }) => instance)).toEqual(["web.example.com"]);
  expect(evacuation.before).toContainEqual(
    expect.objectContaining({ name: dead, pinst_cnt: 0, memory_free: 0 }),
  );
  const [claim] = server.cluster.snapshot().claims();
  for (const answer of [
    evacuation,
    await ask("POST", "balance", { group: "default", evac_mode: true }),
    await ask("GET", "balance?group=default"),
  ]) {
    expect(JSON.stringify(answer)).not.toContain(claim?.uuid);
  }
});

test("metrics count instances and disks without claims, which have a figure of their own", async () => {
  const { text } = await server.send("GET", "/metrics");
  expect(text).toContain('ganeti_objects{type="instance"} 1\n');
  expect(text).toContain('ganeti_objects{type="disk"} 1\n');
  expect(text).toContain('ganeti_claims{kind="removal"} 1\n');
  expect(text).toContain('ganeti_claims{kind="creation"} 0\n');
});

test("a disk template that no instance uses can be disabled", async () => {
  const templates = (...enabled_disk_templates: string[]) =>
    run(server, {
      OP_ID: "OP_CLUSTER_SET_PARAMS",
      enabled_disk_templates,
      ipolicy: { "disk-templates": enabled_disk_templates },
    });
  expect(await templates("drbd", "plain", "diskless")).toMatchObject(["success", {}]);
  expect(await templates("drbd", "plain")).toMatchObject(["success", {}]);
});

test("the API lists the leftover of a job on a dead node, with the job's status", async () => {
  const [claim] = server.cluster.snapshot().claims();
  expect(await ask("GET", "claims")).toEqual([
    {
      ...{ uuid: claim?.uuid, kind: "removal", job: claim?.job, job_status: "success" },
      ...{ since: claim?.ctime, nodes: [dead], instance: "web.example.com", devices: 0 },
    },
  ]);
});

test("verification warns of leftovers of jobs on offline nodes, and still succeeds", async () => {
  const [claim] = server.cluster.snapshot().claims();
  const id = await server.world.queue.submit([{ OP_ID: "OP_CLUSTER_VERIFY_CONFIG" }]);
  expect(await endOf(server, id)).toMatchObject(["success", [true]]);
  const [row] = await server.world.queue.query([id], ["oplog"]);
  const [[log = []] = []] = (row ?? []) as readonly (readonly (readonly unknown[])[][])[];
  expect(log.map((entry) => (entry as readonly unknown[])[3])).toContain(
    `  - WARNING: cluster : job ${claim?.job} left instance web.example.com, which may still run, on ${dead} (offline: ${dead}; bring it back online, or remove it from the cluster)`,
  );
});
