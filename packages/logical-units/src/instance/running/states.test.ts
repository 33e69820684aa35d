import type { RealInstance } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import { reportedNodeMemory } from "../../../test/support/cluster.js";
import { adding, anInstance, aPlainDisk } from "../../../test/support/instances.js";
import { failed, refused } from "../../../test/support/results.js";
import { simulatedCluster } from "../../../test/support/simulated.js";
import { type Answers, WatchedNodes } from "../../../test/support/watched-nodes.js";
import { staged } from "../../../test/support/web1.js";

/** A cluster with inst1 on node1, one existing disk, and `freeMib` of free memory. */
async function stage(answers: Answers = {}, given: Partial<RealInstance> = {}, freeMib = 1024) {
  let watched: WatchedNodes | undefined;
  const cluster = await simulatedCluster({
    host: { memoryTotalMib: 1024 + freeMib, memoryNodeMib: 1024 },
    cluster: reportedNodeMemory,
    between(nodes) {
      watched = new WatchedNodes(nodes, answers);
      return watched;
    },
  });
  const [node] = cluster.nodes;
  if (node === undefined || watched === undefined) throw new Error("no node");
  const disk = aPlainDisk(2, node);
  const creation = {
    disk,
    sizeMib: disk.size,
    owner: "inst1.example.com",
    onPrimary: true,
    info: "",
    exclusiveStorage: false,
  };
  const caller = { lease: "1:1", signal: new AbortController().signal };
  await cluster.simulated.call(node, "blockdev_create", creation, caller);
  await cluster.put(...adding(anInstance(1, { primary_node: node, ...given }), [disk]));
  const start = (more = {}) =>
    cluster.run({ OP_ID: "OP_INSTANCE_STARTUP", instance_name: "inst1.example.com", ...more });
  return { ...cluster, backend: watched, node, start };
}

describe("instance start", () => {
  test("a start activates the disks, runs the instance and records admin_state up", async () => {
    const { start, instance, backend, node, queue } = await stage({});
    expect(await start()).toEqual({ status: "success", result: null, log: [] });
    expect(instance("inst1")).toMatchObject({ admin_state: "up", disks_active: true });
    expect(backend.asked).toEqual(
      [
        "instance_info",
        "node_info",
        "blockdev_assemble",
        "blockdev_assemble",
        "instance_start",
      ].map((call) => `${node} ${call}`),
    );
    await queue.stop();
  });

  test("a start needs as much free memory as the instance starts with, in addition to reservations", async () => {
    const { start, instance, put, node, config } = await stage({}, {}, 700);
    const { uuid } = anInstance(7, { primary_node: node });
    await put({
      kind: "put",
      type: "instance",
      object: {
        uuid,
        forthcoming: true,
        primary_node: node,
        nics: [],
        disks: [],
        tags: [],
        beparams: { maxmem: 500, minmem: 500 },
      },
    });
    expect(await start()).toMatchObject({
      status: "error",
      result: refused(
        "Not enough memory on node node1.example.com for starting instance inst1.example.com:" +
          " needed 256 MiB, available 200 MiB",
        "insufficient_resources",
      ),
    });
    expect(instance("inst1")).toMatchObject({ admin_state: "down" });
    await put({ kind: "remove", type: "instance", uuid });
    expect(await start()).toMatchObject({ status: "success" });
    expect([...config.snapshot.claims()]).toEqual([]);
  });

  test("a dry run of a start only logs that it is one", async () => {
    const { start, instance, backend } = await stage({});
    expect(await start({ dry_run: true })).toEqual({
      status: "success",
      result: null,
      log: [" - INFO: dry-run mode requested, not actually executing the operation"],
    });
    expect(instance("inst1")).toMatchObject({ admin_state: "down" });
    expect(backend.asked.some((call) => call.endsWith("instance_start"))).toBe(false);
  });

  test("a failed start deactivates the disks; admin_state stays up", async () => {
    const broken = () => {
      throw new Error("hypervisor says no");
    };
    const { start, instance, config } = await stage({ instance_start: broken });
    expect(await start()).toMatchObject({
      status: "error",
      result: failed("Could not start instance 'inst1.example.com': hypervisor says no"),
    });
    expect(instance("inst1")).toMatchObject({ admin_state: "up", disks_active: false });
    expect([...config.snapshot.claims()]).toEqual([]);
  });

  test("no mirror becomes primary before its sides have met, unless secondaries are ignored", async () => {
    const { on, simulated, nodes, runningOn } = await staged({ start: false });
    await on("OP_INSTANCE_DEACTIVATE_DISKS");
    const primary = nodes[0] ?? "";
    const message = "DRBD device is not in sync: stats=WFConnection";
    simulated.fail({ kind: "refused", call: "drbd_wait_sync", node: primary, times: 2, message });
    const first = await on("OP_INSTANCE_ACTIVATE_DISKS");
    expect(first.status).toBe("error");
    expect(first.log).toEqual([
      ` - WARNING: The mirrors on node node1.example.com are not connected to their secondary node: ${message}`,
    ]);
    const sides = () => Object.values(simulated.stateOf(primary)?.drbd ?? {});
    expect(sides().map((side) => [side?.up, side?.primary])).toEqual([[true, false]]);
    expect((await on("OP_INSTANCE_STARTUP")).status).toBe("error");
    expect(sides().map((side) => side?.up)).toEqual([false]);
    simulated.fail({ kind: "refused", call: "drbd_wait_sync", node: primary, message });
    expect((await on("OP_INSTANCE_STARTUP", { force: true })).status).toBe("success");
    expect(runningOn(1)).toEqual(["web1.example.com"]);
  });

  test("a start of a running instance changes nothing and needs no memory", async () => {
    const { start, runningOn } = await stage({}, {}, 512);
    expect(await start()).toMatchObject({ status: "success" });
    expect(await start()).toMatchObject({ status: "success" });
    expect(runningOn(1)).toEqual(["inst1.example.com"]);
  });

  test("a start is refused for unknown, offline, reserved and replaced instances", async () => {
    const { start, put, node, config } = await stage({}, { admin_state: "offline" });
    expect((await start({ instance_name: "nosuch" })).result).toEqual(
      refused("Instance 'nosuch' not known", "unknown_entity"),
    );
    expect((await start()).result).toEqual(
      refused(
        "Instance 'inst1.example.com' is marked to be offline, can't use instance from outside" +
          " down, up states",
        "wrong_state",
      ),
    );
    const { uuid } = config.snapshot.expectInstance("inst1");
    expect((await start({ instance_uuid: "other" })).result).toEqual(
      refused(
        `The instances UUID '${uuid}' does not match the expected UUID 'other' for instance` +
          " 'inst1.example.com'. Maybe the instance changed since you submitted this job.",
        "resource_not_unique",
      ),
    );
    const reserved = anInstance(3, { primary_node: node });
    await put({
      kind: "put",
      type: "instance",
      object: { ...reserved, forthcoming: true },
    });
    expect((await start({ instance_name: "inst3" })).result).toEqual(
      refused("forthcoming instances not supported for this operation", "wrong_state"),
    );
  });

  test("a start on an offline node is refused unless offline nodes are ignored", async () => {
    const { start, put, node, config, instance, backend } = await stage({});
    const object = config.snapshot.node(node);
    if (object === undefined) throw new Error("no node");
    await put({
      kind: "put",
      type: "node",
      object: { ...object, offline: true, master_candidate: false },
    });
    expect((await start()).result).toEqual(
      refused("Can't use offline node: node1.example.com", "wrong_state"),
    );
    expect(await start({ ignore_offline_nodes: true, hvparams: { acpi: "false" } })).toEqual({
      status: "success",
      result: null,
      log: [
        " - WARNING: Ignoring offline primary node",
        " - WARNING: Overridden parameters are ignored",
        " - INFO: Primary node offline, marked instance as started",
      ],
    });
    expect(instance("inst1")).toMatchObject({ admin_state: "up" });
    expect(backend.asked).toEqual([]);
  });
});
