import { expect, test } from "vitest";
import { busyCluster } from "./busy-cluster.js";

test("a group is added, changed, renamed and removed", async () => {
  const { try: run, config } = await busyCluster();
  const add = { OP_ID: "OP_GROUP_ADD", group_name: "g", alloc_policy: "last_resort" };
  expect(await run({ ...add, dry_run: true })).toMatchObject({ result: null });
  expect(config.snapshot.findGroup("g")).toBeUndefined();
  expect(await run({ ...add, ndparams: { ssh_port: "2222" } })).toMatchObject({ result: null });
  expect(config.snapshot.expectGroup("g")).toMatchObject({
    alloc_policy: "last_resort",
    ndparams: { ssh_port: 2222 },
    ipolicy: {},
    diskparams: {},
  });
  const change = { OP_ID: "OP_GROUP_SET_PARAMS", group_name: "g" };
  expect(await run({ ...change, alloc_policy: "unallocable" })).toMatchObject({ result: [] });
  expect(await run({ ...change, ndparams: {}, diskparams: {} })).toMatchObject({ result: [] });
  expect(
    await run({ ...change, ndparams: { ssh_port: "default", ovs: true, ovs_name: "it's" } }),
  ).toMatchObject({ result: [["ndparams", `{'ovs': True, 'ovs_name': "it's"}`]] });
  expect(
    await run({ ...change, diskparams: { drbd: { protocol: "A", "resync-rate": "1024" } } }),
  ).toMatchObject({ result: [["diskparams", "{'drbd': {'protocol': 'A', 'resync-rate': 1024}}"]] });
  expect(await run({ ...change, disk_state: { plain: { xenvg: { disk_total: "10" } } } })).toEqual({
    status: "success",
    result: [],
    log: [],
  });
  expect(config.snapshot.expectGroup("g")).toMatchObject({
    alloc_policy: "unallocable",
    ndparams: { ovs: true },
    disk_state_static: { plain: { xenvg: { disk_total: 10 } } },
  });
  expect(await run({ OP_ID: "OP_GROUP_RENAME", group_name: "g", new_name: "h" })).toMatchObject({
    result: "h",
  });
  await run({ OP_ID: "OP_GROUP_REMOVE", group_name: "h" });
  expect(config.snapshot.findGroup("h")).toBeUndefined();
});

test("a policy changes key by key, and instances that newly violate it are named", async () => {
  const { try: run, config } = await busyCluster();
  const change = { OP_ID: "OP_GROUP_SET_PARAMS", group_name: "default" };
  expect(
    await run({ ...change, ipolicy: { "disk-templates": ["drbd"], "vcpu-ratio": "8" } }),
  ).toEqual({
    status: "success",
    result: [],
    log: [
      " - WARNING: After the ipolicy change the following instances violate them: inst2.example.com",
    ],
  });
  expect(config.snapshot.expectGroup("default").ipolicy).toEqual({
    "disk-templates": ["drbd"],
    "vcpu-ratio": 8,
  });
  // Existing violations are not reported again; `default` removes a key.
  expect((await run({ ...change, ipolicy: { "vcpu-ratio": "default" } })).log).toEqual([]);
  expect(config.snapshot.expectGroup("default").ipolicy).toEqual({ "disk-templates": ["drbd"] });
});

test("nodes change their group, even if that splits mirrors when forced", async () => {
  const { try: run, config, nodes } = await busyCluster();
  const assign = { OP_ID: "OP_GROUP_ASSIGN_NODES", group_name: "group1" };
  expect(await run({ ...assign, nodes: ["node1", "node2"] })).toEqual({
    status: "success",
    result: null,
    log: [],
  });
  expect(await run({ ...assign, group_name: "group2", nodes: ["node1"], force: true })).toEqual({
    status: "success",
    result: null,
    log: [" - WARNING: This operation will split the following instances: inst1.example.com"],
  });
  // The instance is split already and stays so.
  expect(await run({ ...assign, group_name: "default", nodes: ["node1"] })).toMatchObject({
    log: [],
  });
  const groupOf = (at: number) => {
    const node = nodes[at] && config.snapshot.node(nodes[at]);
    return node && config.snapshot.group(node.group)?.name;
  };
  expect([0, 1, 2, 3].map(groupOf)).toEqual(["default", "group1", "default", "group1"]);
});

test("a new group is connected to the network between instances and cluster", async () => {
  const { try: run } = await busyCluster({}, { instance_communication_network: "net2" });
  const { result } = await run({ OP_ID: "OP_GROUP_ADD", group_name: "g" });
  expect(result).toEqual({ jobs: [[true, expect.any(Number)]] });
});
