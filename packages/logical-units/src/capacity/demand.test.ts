import type { JsonObject } from "@ganeti-ts/protocol";
import { creationOf } from "@ganeti-ts/testkit/configuration";
import { describe, expect, test } from "vitest";
import { refused } from "../../test/support/results.js";
import { type SimulatedCluster, simulatedCluster } from "../../test/support/simulated.js";

const creating = (name: string, more: JsonObject = {}): JsonObject =>
  creationOf(`${name}.example.com`, {
    pnode: "node1",
    beparams: { memory: 256, vcpus: 2 },
    ...more,
  });
const reserving = (name: string, more: JsonObject = {}) =>
  creating(name, { forthcoming: true, ...more });
const about = (OP_ID: string, name: string, more: JsonObject = {}): JsonObject => ({
  OP_ID,
  instance_name: `${name}.example.com`,
  ...more,
});

/** Nodes with two CPUs, each of which may have two vcpus. */
async function stage(ratios: JsonObject = { "vcpu-ratio": 2 }, more: JsonObject = {}) {
  const cluster = await simulatedCluster({
    nodeCount: 3,
    host: { cpuTotal: 2, volumeGroups: { xenvg: { "/dev/a": 4096, "/dev/b": 4096 } } },
  });
  const { cluster: before } = cluster.config.snapshot;
  const object = { ...before, ipolicy: { ...before.ipolicy, ...ratios } } as typeof before;
  await cluster.put({ kind: "cluster", object: { ...object, ...more } as typeof before });
  const done = async (op: JsonObject) => {
    const { status, result } = await cluster.run(op);
    expect(status, JSON.stringify(result)).toBe("success");
    return result;
  };
  const shortage = async (op: JsonObject) => (await cluster.run(op)).result;
  return { ...cluster, done, shortage };
}

const short = (text: string) => refused(text, "insufficient_resources");
const lacksVcpus = (purpose: string, needed: number, available: number, node = 1) =>
  short(
    `Not enough vcpus on node node${node}.example.com for ${purpose}: needed ${needed}, available ${available}`,
  );

describe("vcpus", () => {
  test("the vcpu ratio limits only nodes with reservations", async () => {
    const { done, shortage } = await stage();
    await done(reserving("r", { beparams: { memory: 256, vcpus: 3 } }));
    expect(await shortage(creating("a"))).toEqual(
      lacksVcpus("creating instance a.example.com", 2, 1),
    );
    expect(await shortage(reserving("a"))).toEqual(
      lacksVcpus("creating instance a.example.com", 2, 1),
    );
    await done(creating("b", { pnode: "node2", beparams: { memory: 256, vcpus: 8 } }));
    expect(await shortage(reserving("c", { pnode: "node2" }))).toEqual(
      lacksVcpus("creating instance c.example.com", 2, -4, 2),
    );
    await done(creating("c", { beparams: { memory: 256, vcpus: 1 } }));
    await done({ ...about("OP_INSTANCE_CREATE", "r"), commit: true, os_type: "noop+default" });
  });

  test("starting, moving and adding instances are all refused beyond the vcpu ratio", async () => {
    const { done, shortage } = await stage();
    await done(creating("a", { start: false }));
    await done(creating("m", { pnode: "node2" }));
    await done(creating("d", { disk_template: "drbd", pnode: "node2", snode: "node1" }));
    await done(reserving("r", { beparams: { memory: 256, vcpus: 3 } }));
    expect(await shortage(about("OP_INSTANCE_STARTUP", "a"))).toEqual(
      lacksVcpus("starting instance a.example.com", 2, 1),
    );
    expect(await shortage(about("OP_INSTANCE_MOVE", "m", { target_node: "node1" }))).toEqual(
      lacksVcpus("failing over instance m.example.com", 2, 1),
    );
    for (const way of ["OP_INSTANCE_FAILOVER", "OP_INSTANCE_MIGRATE"]) {
      expect(await shortage(about(way, "d"))).toEqual(
        lacksVcpus("migrating instance d.example.com", 2, 1),
      );
    }
    await done(about("OP_INSTANCE_SET_PARAMS", "a", { beparams: { vcpus: 1 } }));
    await done(about("OP_INSTANCE_STARTUP", "a"));
    expect(
      await shortage(about("OP_INSTANCE_SET_PARAMS", "a", { beparams: { vcpus: 2 } })),
    ).toEqual(lacksVcpus("modifying instance a.example.com", 1, 0));
    expect(
      await shortage(about("OP_INSTANCE_SET_PARAMS", "r", { beparams: { vcpus: 4 } })),
    ).toEqual(lacksVcpus("creating instance r.example.com", 4, 3));
  });
});

test("spindle use on shared spindles is limited on both nodes of a mirror", async () => {
  const { done, shortage } = await stage({ "spindle-ratio": 2 });
  const mirror = { disk_template: "drbd", pnode: "node1", snode: "node2", start: false };
  const sized = (spindle_use: number) => ({ beparams: { memory: 256, vcpus: 1, spindle_use } });
  await done(reserving("r", { ...mirror, ...sized(2) }));
  const lacks = (node: number, name: string, verb = "creating instance", needed = 1) =>
    short(
      `Not enough spindle use on node node${node}.example.com for ${verb} ${name}.example.com: needed ${needed}, available 0`,
    );
  expect(await shortage(creating("a", { pnode: "node2", ...sized(1) }))).toEqual(lacks(2, "a"));
  await done(creating("b", { ...mirror, pnode: "node3", snode: "node3", disk_template: "plain" }));
  const op = about("OP_INSTANCE_SET_PARAMS", "r", sized(3));
  expect(await shortage(op)).toEqual(
    short(
      "Not enough spindle use on node node1.example.com for creating instance r.example.com: needed 3, available 2",
    ),
  );
});

describe("exclusive spindles", () => {
  const exclusive = async (): Promise<SimulatedCluster & Awaited<ReturnType<typeof stage>>> => {
    const cluster = await stage();
    const { cluster: before } = cluster.config.snapshot;
    const ndparams = { ...before.ndparams, exclusive_storage: true };
    await cluster.put({ kind: "cluster", object: { ...before, ndparams } });
    return cluster;
  };
  const disks = (...spindles: number[]) => ({
    disks: spindles.map((count) => ({ size: 1024, spindles: count })),
  });

  test("exclusive spindles are reserved with a disk and refused to another one", async () => {
    const { done, shortage } = await exclusive();
    await done(reserving("r", disks(1)));
    expect(await shortage(creating("a", disks(2)))).toEqual(
      short(
        "Not enough spindles on node node1.example.com for creating instance a.example.com: needed 2, available 1",
      ),
    );
    await done(creating("b", disks(1)));
    expect(await shortage(creating("c", disks(1)))).toMatchObject(
      refused(expect.anything(), "insufficient_resources"),
    );
    await done({ ...about("OP_INSTANCE_CREATE", "r"), commit: true, os_type: "noop+default" });
  });
});
