import type { Json, JsonObject } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { failed } from "../support/results.js";
import { type BusyCluster, busyCluster } from "./busy-cluster.js";

/** Opcodes of the jobs named in a result. */
async function childOpcodes({ queue }: BusyCluster, result: Json): Promise<readonly JsonObject[]> {
  const { jobs } = result as unknown as { jobs: [boolean, number][] };
  const rows = await queue.query(
    jobs.map(([, id]) => id as never),
    ["ops"],
  );
  return rows.flatMap((row) => (row?.[0] ?? []) as JsonObject[]);
}

const evacuate = { OP_ID: "OP_NODE_EVACUATE", node_name: "node2" };

test("an evacuation moves secondaries to the named node", async () => {
  const cluster = await busyCluster();
  const opcode = { ...evacuate, mode: "secondary-only", remote_node: "node3", early_release: true };
  const { result, log } = await cluster.try(opcode);
  expect(log).toEqual([
    " - INFO: Evacuating instances from node 'node2.example.com': inst1.example.com",
  ]);
  expect(await childOpcodes(cluster, result)).toMatchObject([
    {
      OP_ID: "OP_INSTANCE_REPLACE_DISKS",
      instance_name: "inst1.example.com",
      mode: "replace_new_secondary",
      remote_node: "node3.example.com",
      early_release: true,
      comment: "Submitted by OP_NODE_EVACUATE",
    },
  ]);
});

test("without a node the built-in allocator chooses the new secondaries", async () => {
  const cluster = await busyCluster();
  const { result, log } = await cluster.try({ ...evacuate, mode: "secondary-only" });
  expect(log).toEqual([
    " - INFO: Evacuating instances from node 'node2.example.com': inst1.example.com",
    " - INFO: Instances to be moved: inst1.example.com (to node1.example.com, node3.example.com)",
  ]);
  expect(await childOpcodes(cluster, result)).toMatchObject([
    { OP_ID: "OP_INSTANCE_REPLACE_DISKS", remote_node: "node3.example.com", early_release: false },
  ]);
});

test("mode all asks the allocator for secondaries, then for primaries", async () => {
  const cluster = await busyCluster();
  const { result, log } = await cluster.try({ ...evacuate, node_name: "node1", mode: "all" });
  expect(log[0]).toBe(
    " - INFO: Evacuating instances from node 'node1.example.com': inst1.example.com",
  );
  const opcodes = await childOpcodes(cluster, result);
  expect(opcodes.map(({ OP_ID }) => OP_ID)).toEqual(["OP_INSTANCE_MIGRATE"]);
});

test("evacuating an empty node, and a dry run, submit no jobs", async () => {
  const cluster = await busyCluster();
  expect(await cluster.try({ ...evacuate, node_name: "node3", mode: "all" })).toEqual({
    status: "success",
    result: { jobs: [] },
    log: [" - INFO: No instances to evacuate from node 'node3.example.com'"],
  });
  const dry = { ...evacuate, mode: "secondary-only", dry_run: true };
  expect(await cluster.try(dry)).toMatchObject({ result: { jobs: [] } });
});

test("a group evacuation moves to another group, with failovers and in sequence if requested", async () => {
  const cluster = await busyCluster();
  await cluster.try({ OP_ID: "OP_GROUP_ASSIGN_NODES", group_name: "group1", nodes: ["node3"] });
  await cluster.try({
    OP_ID: "OP_NETWORK_CONNECT",
    network_name: "net1",
    group_name: "group1",
    network_mode: "bridged",
    network_link: "br1",
  });
  const opcode = { OP_ID: "OP_GROUP_EVACUATE", group_name: "default", target_groups: ["group1"] };
  // inst2 is on a single node.
  expect((await cluster.try(opcode)).result).toMatchObject(
    failed(expect.stringContaining("Unable to evacuate instances inst2.example.com")),
  );
  await cluster.config.change((now) => {
    const { uuid } = now.expectInstance("inst2");
    return { changes: [{ kind: "remove", type: "instance", uuid }], value: null };
  });
  await cluster.config.change((now) => {
    const [disk] = Array.from(now.disks()).filter(({ dev_type }) => dev_type === "plain");
    return {
      changes: disk ? [{ kind: "remove", type: "disk", uuid: disk.uuid }] : [],
      value: null,
    };
  });
  const { result, log } = await cluster.try({ ...opcode, force_failover: true, sequential: true });
  expect(log.slice(1)).toEqual([
    " - INFO: Iallocator returned 1 job(s) for evacuating node group default",
    " - INFO: Will insist on failovers",
    " - INFO: Jobs will be submitted to run sequentially",
  ]);
  const opcodes = await childOpcodes(cluster, result);
  expect(opcodes.map(({ OP_ID }) => OP_ID)).not.toContain("OP_INSTANCE_MIGRATE");
  expect(opcodes.length).toBeGreaterThan(1);
});
