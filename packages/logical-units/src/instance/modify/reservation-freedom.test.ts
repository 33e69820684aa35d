// Values that a reservation may leave open and change later.
import type { JsonObject } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import { refused } from "../../../test/support/results.js";
import { type SimulatedCluster, simulatedCluster } from "../../../test/support/simulated.js";

const name = "later.example.com";
const reserve = { OP_ID: "OP_INSTANCE_CREATE", mode: "create", forthcoming: true };
const commit = { OP_ID: "OP_INSTANCE_CREATE", mode: "create", commit: true, instance_name: name };
const modify = { OP_ID: "OP_INSTANCE_SET_PARAMS", instance_name: name };
const whole = {
  os_type: "noop+default",
  disk_template: "plain",
  disks: [{ size: 1024 }],
  nics: [],
  pnode: "node1.example.com",
};

async function reserved(
  more: JsonObject,
  options: Parameters<typeof simulatedCluster>[0] = {},
): Promise<SimulatedCluster> {
  const cluster = await simulatedCluster({ nodeCount: 4, ...options });
  const ran = await cluster.run({ ...reserve, instance_name: name, disks: [], nics: [], ...more });
  expect(ran.status, JSON.stringify(ran.result)).toBe("success");
  return cluster;
}

/** Disks without a given template would become mirrored. */
const templates = { enabled_disk_templates: ["drbd", "plain", "diskless"] as const };

const stored = ({ config }: SimulatedCluster) => config.snapshot.expectInstance(name);

test("a reservation without a hypervisor becomes real with the cluster's usual one", async () => {
  const cluster = await reserved(whole);
  expect(stored(cluster).hypervisor).toBeUndefined();
  expect(await cluster.run({ ...commit, ip_check: false })).toMatchObject({ status: "success" });
  const { cluster: settings } = cluster.config.snapshot;
  expect(stored(cluster).hypervisor).toBe(settings.enabled_hypervisors[0]);
});

describe("reserved disks", () => {
  test.each([
    { why: "by an amount", amount: 512, absolute: false, size: 1536 },
    { why: "to a size", amount: 4096, absolute: true, size: 4096 },
  ])("grows $why", async ({ amount, absolute, size }) => {
    const cluster = await reserved(whole);
    const grow = { OP_ID: "OP_INSTANCE_GROW_DISK", instance_name: name, disk: 0 };
    expect(await cluster.run({ ...grow, amount, absolute })).toMatchObject({
      status: "success",
      result: null,
    });
    expect(cluster.config.snapshot.disksOf(stored(cluster))).toMatchObject([{ size }]);
    const missing = await cluster.run({ ...grow, disk: 3, amount });
    expect(JSON.stringify(missing.result)).toContain("Invalid disk index: 3");
  });

  test("a reserved disk does not grow beyond the free space of its node", async () => {
    const host = { volumeGroups: { xenvg: { "/dev/sda": 4096 } } };
    const cluster = await reserved(whole, { host });
    const grow = { OP_ID: "OP_INSTANCE_GROW_DISK", instance_name: name, disk: 0, amount: 8192 };
    expect(await cluster.run({ ...grow, ignore_ipolicy: true })).toMatchObject({ status: "error" });
    expect(cluster.config.snapshot.disksOf(stored(cluster))).toMatchObject([{ size: 1024 }]);
  });
});

test("template and disks of a reservation can be changed in one modification", async () => {
  const cluster = await reserved({ pnode: "node1.example.com" });
  const change = { disk_template: "plain", disks: [["add", -1, { size: 2048 }]] };
  expect(await cluster.run({ ...modify, ...change })).toMatchObject({ status: "success" });
  expect(cluster.config.snapshot.disksOf(stored(cluster))).toMatchObject([
    { dev_type: "plain", size: 2048 },
  ]);
});

test("the result of a modification names changed nodes and systems", async () => {
  const cluster = await reserved(whole);
  const change = { pnode: "node2", os_name: "noop+default" };
  expect((await cluster.run({ ...modify, ...change })).result).toEqual([
    ["pnode", "node2.example.com"],
    ["os", "noop+default"],
  ]);
});

test("both nodes of a reserved mirror must be in one group", async () => {
  const cluster = await reserved({
    ...whole,
    disk_template: "drbd",
    snode: "node2.example.com",
  });
  expect(await cluster.run({ OP_ID: "OP_GROUP_ADD", group_name: "other" })).toMatchObject({
    status: "success",
  });
  const assign = { OP_ID: "OP_GROUP_ASSIGN_NODES", group_name: "other", nodes: ["node4"] };
  expect(await cluster.run(assign)).toMatchObject({ status: "success" });
  expect((await cluster.run({ ...modify, pnode: "node4" })).result).toEqual(
    refused(
      "Primary node node4.example.com and secondary node node2.example.com are in different node groups",
      "wrong_input",
    ),
  );
  expect(await cluster.run({ ...modify, pnode: "node3" })).toMatchObject({ status: "success" });
});

test("resources are reserved without a node where no allocator can choose one", async () => {
  const cluster = await reserved(
    { beparams: { maxmem: 512 }, disk_template: "plain", disks: [{ size: 1024 }] },
    { cluster: { default_iallocator: "" } },
  );
  expect(stored(cluster).primary_node).toBeUndefined();
  expect(await cluster.run({ ...modify, beparams: { vcpus: 2 } })).toMatchObject({
    status: "success",
  });
  expect(stored(cluster)).toMatchObject({ beparams: { maxmem: 512, vcpus: 2 } });
});

describe("the template of a reservation without disks", () => {
  const template = { disk_template: "plain", pnode: "node1.example.com" };
  const shown = async (cluster: SimulatedCluster) =>
    (await cluster.run({ OP_ID: "OP_INSTANCE_QUERY_DATA", instances: [name], static: true }))
      .result;

  test("is kept for disks that are added later", async () => {
    const cluster = await reserved(template, { cluster: templates });
    expect(JSON.stringify(await shown(cluster))).toContain('"disk_template":"plain"');
    const add = { disks: [["add", -1, { size: 2048 }]] };
    expect(await cluster.run({ ...modify, ...add })).toMatchObject({ status: "success" });
    expect(cluster.config.snapshot.disksOf(stored(cluster))).toMatchObject([{ dev_type: "plain" }]);
    expect(stored(cluster)).not.toHaveProperty("disk_template");
  });

  test("can be changed before there are disks", async () => {
    const cluster = await reserved(template, { cluster: templates });
    expect((await cluster.run({ ...modify, disk_template: "drbd" })).result).toEqual([
      ["disk_template", "drbd"],
    ]);
    expect(stored(cluster)).toMatchObject({ disk_template: "drbd" });
  });

  test("demands disks when the reservation becomes real", async () => {
    const os = { os_type: "noop+default" };
    const cluster = await reserved({ ...template, ...os }, { cluster: templates });
    expect(JSON.stringify((await cluster.run({ ...commit, ip_check: false })).result)).toContain(
      "missing parameters: disks",
    );
    const disks = [{ size: 1024 }];
    expect(await cluster.run({ ...commit, ip_check: false, disks })).toMatchObject({
      status: "success",
    });
    expect(cluster.config.snapshot.disksOf(stored(cluster))).toMatchObject([{ dev_type: "plain" }]);
    expect(stored(cluster)).not.toHaveProperty("disk_template");
  });
});

describe("the hypervisor", () => {
  const both = { enabled_hypervisors: ["fake", "kvm"] as const };

  test("of a reservation can be given and changed", async () => {
    const cluster = await reserved({ ...whole, hypervisor: "fake" }, { cluster: both });
    expect((await cluster.run({ ...modify, hypervisor: "kvm" })).result).toEqual([
      ["hypervisor", "kvm"],
    ]);
    expect(stored(cluster).hypervisor).toBe("kvm");
    const disabled = await cluster.run({ ...modify, hypervisor: "lxc" });
    expect(JSON.stringify(disabled.result)).toContain("(lxc) not enabled in the cluster");
  });

  test("of a reservation must know the parameters that stay", async () => {
    const hvparams = { kernel_path: "/boot/vmlinuz" };
    const reservation = { ...whole, hypervisor: "kvm", hvparams };
    const cluster = await reserved(reservation, { cluster: both });
    const change = { ...modify, hypervisor: "fake" };
    expect(JSON.stringify((await cluster.run(change)).result)).toContain(
      "Parameter 'kernel_path' is not supported",
    );
    const without = { ...change, hvparams: { kernel_path: "default" } };
    expect(await cluster.run(without)).toMatchObject({ status: "success" });
    expect(stored(cluster)).toMatchObject({ hypervisor: "fake", hvparams: {} });
  });

  test("of an instance stays", async () => {
    const cluster = await reserved(whole, { cluster: both });
    expect(await cluster.run({ ...commit, ip_check: false })).toMatchObject({ status: "success" });
    expect((await cluster.run({ ...modify, hypervisor: "kvm" })).result).toEqual(
      refused("Only the hypervisor of a reservation can be changed", "wrong_state"),
    );
  });
});
