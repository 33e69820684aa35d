import { setVolume, type VolumeGroupState } from "@ganeti-ts/simulated-nodes";
import { describe, expect, test } from "vitest";
import { failed, refused } from "../../../test/support/results.js";
import { staged } from "../../../test/support/web1.js";

const op = "OP_INSTANCE_RECREATE_DISKS";
const down = { start: false };

/** An instance without its disks, as after the loss of its nodes' storage. */
async function lost(...[instance, options]: Parameters<typeof staged>) {
  const cluster = await staged({ ...down, ...instance }, options);
  await cluster.on("OP_INSTANCE_DEACTIVATE_DISKS");
  return cluster;
}

/** Removes all volumes and disk files of a node. */
function empty({ simulated, nodes }: Awaited<ReturnType<typeof staged>>, number: number): void {
  const state = simulated.stateOf(nodes[number - 1] ?? "");
  for (const group of Object.values(state?.volumeGroups ?? {})) {
    for (const name of Object.keys(group.volumes)) setVolume(group, name, undefined);
  }
  for (const path of Object.keys(state?.fileSystem.disks ?? {})) {
    delete state?.fileSystem.disks[path];
  }
}

describe("disk recreation", () => {
  test.each([
    { disk_template: "plain", text: /LV create failed .* Logical Volume "\S+" already exists in/ },
    { disk_template: "file", text: /\/srv\/files\/\S+: can't create: \[Errno 17\] File exists/ },
    { disk_template: "drbd", text: /LV create failed .* Logical Volume "\S+_data" already exists/ },
  ])("$disk_template disks that are there are not touched", async ({ disk_template, text }) => {
    const more = disk_template === "drbd" ? { snode: "node2.example.com" } : {};
    const { on, simulated, nodes, expectTidy, config } = await lost({ disk_template, ...more });
    const states = () => JSON.stringify([nodes.map((node) => simulated.stateOf(node))]);
    const before = states();
    const { serial } = config.snapshot;
    const { status, result } = await on(op);
    expect([status, result]).toEqual(["error", failed(expect.stringMatching(text))]);
    expect([states(), config.snapshot.serial]).toEqual([before, serial]);
    expectTidy();
  });

  test("recreation leaves a mirrored disk alone if one of its volumes still exists", async () => {
    const cluster = await lost();
    empty(cluster, 1);
    const { status, result } = await cluster.on(op);
    expect([status, JSON.stringify(result)]).toEqual([
      "error",
      expect.stringContaining("on node node2.example.com for instance web1.example.com: LV create"),
    ]);
  });

  test("recreation on other nodes brings down the old mirrors of a stopped instance", async () => {
    const { on, simulated, nodes } = await staged(down, { nodeCount: 4 });
    const upOn = (number: number) =>
      Object.values(simulated.stateOf(nodes[number - 1] ?? "")?.drbd ?? {}).filter(({ up }) => up);
    expect(await on("OP_INSTANCE_ACTIVATE_DISKS")).toMatchObject({ status: "success" });
    expect([upOn(1).length, upOn(2).length]).toEqual([1, 1]);
    expect(await on(op, { nodes: ["node3", "node4"] })).toMatchObject({ status: "success" });
    expect([upOn(1), upOn(2)]).toEqual([[], []]);
  });

  test("lost disks are recreated in place", async () => {
    const { on, volumesOn, simulated, nodes, expectTidy } = await lost({ disk_template: "plain" });
    const before = volumesOn(1);
    const group = simulated.stateOf(nodes[0] ?? "")?.volumeGroups.xenvg as VolumeGroupState;
    for (const name of before) setVolume(group, name, undefined);
    expect(await on(op)).toEqual({ status: "success", result: null, log: [] });
    expect(volumesOn(1)).toEqual(before);
    expectTidy();
    expect(await on("OP_INSTANCE_STARTUP")).toMatchObject({ status: "success" });
  });

  test("lost disks are recreated on other nodes, which become the instance's nodes", async () => {
    const cluster = await lost();
    empty(cluster, 1);
    const { on, placesOf, volumesOn, expectTidy, runningOn } = cluster;
    const { status, log } = await on(op, { nodes: ["node3", "node1"] });
    expect(status).toBe("success");
    expect(log).toEqual([
      " - WARNING: Changing the instance's nodes, you will have to remove any disks left on the" +
        " older nodes manually",
    ]);
    expect(placesOf()).toEqual(["node3.example.com", "node1.example.com"]);
    expect(volumesOn(3)).toHaveLength(2);
    expectTidy();
    expect(await on("OP_INSTANCE_STARTUP")).toMatchObject({ status: "success" });
    expect(runningOn(3)).toEqual(["web1.example.com"]);
  });

  test("recreation changes nothing while one of the nodes is offline", async () => {
    const { on, node, config } = await lost();
    await node(2, { offline: true, master_candidate: false });
    const { serial } = config.snapshot;
    expect((await on(op)).result).toEqual(
      refused("Can't use offline node: node2.example.com", "wrong_state"),
    );
    expect(config.snapshot.serial).toBe(serial);
    await node(2, { offline: false });
    expect(await on("OP_INSTANCE_STARTUP")).toMatchObject({ status: "success" });
  });

  test("an allocator chooses new nodes when the old primary is gone", async () => {
    const { on, node, placesOf } = await lost({ disk_template: "plain" });
    await node(1, { offline: true, master_candidate: false });
    const { status, log } = await on(op, { iallocator: "hail" });
    expect(status).toBe("success");
    expect(log[0]).toBe(
      ` - INFO: Selected nodes for instance web1.example.com via iallocator hail: ${placesOf()[0]}`,
    );
    expect(placesOf()[0]).not.toBe("node1.example.com");
  });

  test("recreated disks can be larger or read-only", async () => {
    const { on, config, web1, simulated, nodes } = await lost({ disk_template: "plain" });
    const group = simulated.stateOf(nodes[0] ?? "")?.volumeGroups.xenvg as VolumeGroupState;
    for (const name of Object.keys(group.volumes)) setVolume(group, name, undefined);
    await on(op, { disks: [[0, { size: 2048, mode: "ro" }]] });
    expect(config.snapshot.disksOf(web1())[0]).toMatchObject({ size: 2048, mode: "ro" });
    expect(Object.values(group.volumes)).toMatchObject([{ sizeMib: 2048 }]);
  });

  test("a failed recreation can be repeated", async () => {
    const cluster = await lost();
    empty(cluster, 1);
    const { on, simulated, expectTidy, placesOf, volumesOn } = cluster;
    simulated.fail({ kind: "refused", call: "blockdev_create", times: 1, after: 3, message: "no" });
    const moving = { nodes: ["node3", "node1"] };
    expect(await on(op, moving)).toMatchObject({ status: "error", result: ["OpExecError", {}] });
    expect(placesOf()[0]).toBe("node3.example.com");
    expect(volumesOn(3)).toEqual([]);
    expectTidy();
    expect(await on(op)).toMatchObject({ status: "success" });
    expect(await on("OP_INSTANCE_STARTUP")).toMatchObject({ status: "success" });
  });

  test("recreation on other nodes needs free space there", async () => {
    const { on, simulated, nodes } = await lost();
    await simulated.fillDisk(nodes[2] ?? "", "xenvg", 1000);
    expect((await on(op, { nodes: ["node3", "node1"] })).result).toEqual(
      refused(
        "Not enough disk space on target node node3.example.com vg xenvg: required 1152 MiB," +
          " available 1000 MiB",
        "insufficient_resources",
      ),
    );
  });
});
