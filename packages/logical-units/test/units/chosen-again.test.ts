// Nodes that others have filled since an allocator's figures: operations choose again with the figures that refused them.
import { answered, type NodeBackend, type NodeInformation } from "@ganeti-ts/node-calls";
import type { JsonObject } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { refused } from "../support/results.js";
import { simulatedCluster } from "../support/simulated.js";

const create = (more: object) => ({
  ...{ OP_ID: "OP_INSTANCE_CREATE", instance_name: "web.example.com", mode: "create" },
  ...{ os_type: "noop+default", disks: [{ size: 1024 }], nics: [{}], pnode: "node1.example.com" },
  ...{ beparams: { memory: 512 }, ip_check: false, name_check: false },
  ...more,
});

/** Five nodes with kept figures, of which those in `full` have no free space and memory any more. */
async function cluster(instance: object, operation: JsonObject) {
  const full = new Set<string>();
  const between = (nodes: NodeBackend): NodeBackend => ({
    introduce: (node) => nodes.introduce(node),
    async call(node, name, args, caller) {
      const answer = await nodes.call(node, name, args, caller);
      if (name !== "node_info" || !answer.ok || !full.has(node)) return answer;
      const { storage, hypervisors, ...rest } = answer.value as NodeInformation;
      return answered({
        ...rest,
        storage: storage?.map((one) => ({ ...one, free: 0 })),
        hypervisors: hypervisors?.map((one) => ({ ...one, memoryFreeMib: 0 })),
      }) as typeof answer;
    },
  });
  const made = await simulatedCluster({ nodeCount: 5, figuresAgeMs: 3_600_000, between });
  const enabled_disk_templates = ["drbd", "plain", "sharedfile"];
  const enable = {
    ...{ OP_ID: "OP_CLUSTER_SET_PARAMS", enabled_disk_templates },
    shared_file_storage_dir: "/srv/shared",
    ipolicy: { "disk-templates": enabled_disk_templates },
  };
  expect(await made.run(enable)).toMatchObject({ status: "success" });
  expect(await made.run(create(instance))).toMatchObject({ status: "success" });
  // The allocator's figures are those of now.
  expect(await made.run({ ...operation, dry_run: true })).toMatchObject({ status: "success" });
  return { ...made, full };
}

const mirrored = { disk_template: "drbd", snode: "node2.example.com" };
const shared = { disk_template: "sharedfile" };
const name = { instance_name: "web.example.com", iallocator: "hail" };

test.each([
  {
    what: "a new secondary",
    instance: mirrored,
    operation: { OP_ID: "OP_INSTANCE_REPLACE_DISKS", mode: "replace_new_secondary", ...name },
    place: 2,
  },
  {
    what: "a new secondary of a reservation",
    instance: { ...mirrored, forthcoming: true },
    operation: { OP_ID: "OP_INSTANCE_REPLACE_DISKS", mode: "replace_new_secondary", ...name },
    place: 2,
  },
  {
    what: "the target of a failover",
    instance: shared,
    operation: { OP_ID: "OP_INSTANCE_FAILOVER", ...name },
    place: 1,
  },
  {
    what: "the target of a migration",
    instance: shared,
    operation: { OP_ID: "OP_INSTANCE_MIGRATE", ...name },
    place: 1,
  },
  {
    what: "the target of a reservation",
    instance: { ...shared, forthcoming: true },
    operation: { OP_ID: "OP_INSTANCE_FAILOVER", ...name },
    place: 1,
  },
])("$what is chosen again until it has room, whichever node has it", async (given) => {
  const { instance, operation, place } = given;
  for (const free of [3, 4, 5]) {
    const { nodes, full, run } = await cluster(instance, operation);
    for (const node of nodes.slice(place)) if (node !== nodes[free - 1]) full.add(node);
    const { status, result, log } = await run(operation);
    expect([free, status, result, log]).toEqual([free, "success", result, log]);
    expect(JSON.stringify(log)).toContain(`node${free}.example.com`);
  }
});

test.each([
  [mirrored, { OP_ID: "OP_INSTANCE_REPLACE_DISKS", mode: "replace_new_secondary", ...name }],
  [shared, { OP_ID: "OP_INSTANCE_FAILOVER", ...name }],
])("without room anywhere, %j ends with a refusal", async (instance, operation) => {
  const { nodes, full, run } = await cluster(instance, operation);
  for (const node of nodes) full.add(node);
  expect(await run(operation)).toMatchObject({
    status: "error",
    result: ["OpPrereqError", expect.anything()],
  });
});

test("a node that a user has named is asked once, and its refusal is the answer", async () => {
  const { iallocator: _, ...named } = name;
  const replace = {
    ...{ OP_ID: "OP_INSTANCE_REPLACE_DISKS", mode: "replace_new_secondary", ...named },
    remote_node: "node3.example.com",
  };
  const { nodes, full, run } = await cluster(mirrored, replace);
  full.add(String(nodes[2]));
  expect(await run(replace)).toMatchObject({
    ...{
      status: "error",
      result: refused(expect.any(String), "insufficient_resources"),
    },
  });
});
