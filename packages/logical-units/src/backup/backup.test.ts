import type { JsonObject, NodeUuid } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import { adding, anInstance, aPlainDisk } from "../../test/support/instances.js";
import { failed, refused } from "../../test/support/results.js";
import { simulatedCluster } from "../../test/support/simulated-cluster.js";

const caller = { lease: "1:1", signal: new AbortController().signal };

/** A cluster with inst1 on node1 and two existing disks. */
async function stage(isUp = false) {
  const cluster = await simulatedCluster();
  const { put, simulated, nodes, run } = cluster;
  const [a, b, c] = nodes as [NodeUuid, NodeUuid, NodeUuid];
  const disks = [aPlainDisk(10, a), aPlainDisk(11, a, { index: 1, size: 512 })];
  for (const disk of disks) {
    const creation = {
      disk: disk as never,
      sizeMib: disk.size,
      owner: "inst1.example.com",
      onPrimary: true,
      info: "",
      exclusiveStorage: false,
    };
    await simulated.call(a, "blockdev_create", creation, caller);
  }
  await put(...adding(anInstance(1, { primary_node: a }), disks));
  if (isUp) await run({ OP_ID: "OP_INSTANCE_STARTUP", instance_name: "inst1" });
  const backup = (more: JsonObject = {}) =>
    run({
      OP_ID: "OP_BACKUP_EXPORT",
      instance_name: "inst1",
      mode: "local",
      target_node: "node2",
      ...more,
    });
  const exportsOn = (node: string) => Object.keys(simulated.stateOf(node)?.exports ?? {});
  return { ...cluster, a, b, c, backup, exportsOn };
}

describe("exports", () => {
  test("an export of a stopped instance copies its disks and deactivates them afterwards", async () => {
    const { backup, simulated, a, b, instance } = await stage();
    const { log, ...ran } = await backup();
    expect(ran).toEqual({ status: "success", result: [true, [true, true]] });
    const ofDisk = /^disk\/1 |disk\/1 from/;
    expect(log.filter((line) => !ofDisk.test(String(line)))).toEqual([
      "Shutting down instance inst1.example.com",
      "Activating disks for inst1.example.com",
      "Exporting disk/0 from node1.example.com to node2.example.com",
      "disk/0 is now listening, starting export",
      "disk/0 is receiving data on node2.example.com",
      "disk/0 is sending data on node1.example.com",
      "disk/0 finished receiving data",
      "disk/0 finished sending data",
      "Finalizing export on node2.example.com",
      "Deactivating disks for inst1.example.com",
      "Removing old exports for instance inst1.example.com",
    ]);
    expect(log.filter((line) => ofDisk.test(String(line)))).toHaveLength(6);
    const kept = simulated.stateOf(b)?.exports["inst1.example.com"];
    expect(Object.values(kept?.files ?? {})).toEqual([1024, 512]);
    expect(kept?.description).toMatchObject({
      export: { version: "0", source: a, os: "noop+default" },
      instance: {
        name: "inst1.example.com",
        maxmem: "512",
        disk_template: "plain",
        nic_count: "0",
        disk_count: "2",
        disk0_size: "1024",
        disk1_ivname: "disk/1",
        disk0_name: "None",
      },
      backend: { auto_balance: "True", vcpus: "1" },
    });
    expect(instance("inst1")).toMatchObject({ admin_state: "down", disks_active: false });
  });

  test("an export of a running instance copies snapshots, and the instance runs again before the copy starts", async () => {
    const { backup, simulated, a, exportsOn, b } = await stage(true);
    const { status, log } = await backup();
    expect(status).toBe("success");
    const started = log.indexOf("Starting instance inst1.example.com");
    expect(log.indexOf("Creating a snapshot of disk/1 on node node1.example.com")).toBeLessThan(
      started,
    );
    expect(started).toBeLessThan(
      log.indexOf("Exporting snapshot/0 from node1.example.com to node2.example.com"),
    );
    expect(Object.keys(simulated.stateOf(a)?.instances ?? {})).toEqual(["inst1.example.com"]);
    expect(Object.keys(simulated.stateOf(a)?.volumeGroups.xenvg?.volumes ?? {})).toEqual([
      "lv10",
      "lv11",
    ]);
    expect(exportsOn(b)).toEqual(["inst1.example.com"]);
  });

  test("a new export replaces earlier ones on any node", async () => {
    const { backup, exportsOn, b, c } = await stage();
    await backup();
    await backup({ target_node: "node3" });
    expect([exportsOn(b), exportsOn(c)]).toEqual([[], ["inst1.example.com"]]);
  });

  test("an export with remove_instance removes the instance", async () => {
    const { backup, config, simulated, a, b, exportsOn } = await stage(true);
    const { status, log } = await backup({ remove_instance: true });
    expect(status).toBe("success");
    expect(log.filter((line) => /napshot|Starting|Removing inst/.test(String(line)))).toEqual([
      "Removing instance inst1.example.com",
    ]);
    expect(config.snapshot.findInstance("inst1")).toBeUndefined();
    expect(Object.keys(simulated.stateOf(a)?.volumeGroups.xenvg?.volumes ?? {})).toEqual([]);
    expect(exportsOn(b)).toEqual(["inst1.example.com"]);
    const running = await stage(true);
    const kept = await running.backup({ remove_instance: true, shutdown: false });
    expect(kept.result).toEqual(
      refused("Can not remove instance without shutting it down before", "wrong_state"),
    );
  });

  test("an export that does not arrive fails and leaves no snapshots behind", async () => {
    const { backup, simulated, a, b } = await stage(true);
    await simulated.fillDisk(b, undefined, 600);
    const ran = await backup();
    expect(ran.result).toEqual(
      failed("Export failed, errors in export finalization, disk export: disk(s) 0"),
    );
    expect(Object.keys(simulated.stateOf(a)?.volumeGroups.xenvg?.volumes ?? {})).toEqual([
      "lv10",
      "lv11",
    ]);
    expect(simulated.stateOf(b)?.transfers).toEqual({});
  });

  test("a failed export holds nothing if the node refuses to remove a missing folder", async () => {
    const { backup, simulated, config } = await stage(true);
    simulated.fail({ kind: "refused", call: "blockdev_snapshot", times: 9, message: "no" });
    simulated.fail({ kind: "refused", call: "export_remove", times: 9, message: "No such file" });
    expect((await backup({ shutdown: false })).status).toBe("error");
    expect([...config.snapshot.claims()]).toEqual([]);
  });

  test.each([
    [{ compress: "zip" }, "Compression tool not allowed"],
    [{ shutdown: false, long_sleep: true }, "The long sleep option only makes sense"],
    [{ zeroing_timeout_fixed: 5 }, "Zeroing timeout options"],
    [{ zero_free_space: true }, "Instance shutdown detection must be enabled for zeroing to work"],
  ])("with %j is refused", async (more, message) => {
    const { backup } = await stage();
    expect((await backup(more)).result).toMatchObject(
      refused(expect.stringContaining(message), "wrong_input"),
    );
  });

  test("a local export needs no preparation", async () => {
    const { run } = await stage();
    const op = { OP_ID: "OP_BACKUP_PREPARE", instance_name: "inst1", mode: "local" };
    expect(await run(op)).toMatchObject({ status: "success", result: null });
  });
});

test("exports are removed by name, even if the instance no longer exists", async () => {
  const { backup, run, exportsOn, b, put, config } = await stage();
  await backup();
  const { uuid } = config.snapshot.expectInstance("inst1");
  await put({ kind: "remove", type: "instance", uuid });
  const remove = (instance_name: string) => run({ OP_ID: "OP_BACKUP_REMOVE", instance_name });
  expect((await remove("inst1")).log).toEqual([
    "Export not found. If trying to remove an export belonging to a deleted instance please use its Fully Qualified Domain Name.",
  ]);
  expect(exportsOn(b)).toEqual(["inst1.example.com"]);
  await remove("inst1.example.com");
  expect(exportsOn(b)).toEqual([]);
});
