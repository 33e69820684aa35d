import { describe, expect, test } from "vitest";
import { failed, refused } from "../../../test/support/results.js";
import { staged } from "../../../test/support/web1.js";

const op = "OP_INSTANCE_GROW_DISK";

describe("disk growth", () => {
  test("a mirrored disk grows on both of its nodes", async () => {
    const { on, config, web1, simulated, nodes, expectTidy } = await staged();
    expect(await on(op, { disk: 0, amount: 512 })).toEqual({
      status: "success",
      result: null,
      log: [
        "Growing disk 0 of instance 'web1.example.com' by 512M to 1.5G",
        " - INFO: Waiting for instance web1.example.com to sync disks",
        " - INFO: Instance web1.example.com's disks are in sync",
      ],
    });
    const [disk] = config.snapshot.disksOf(web1());
    expect([disk?.size, ...(disk?.children ?? []).map(({ size }) => size)]).toEqual([
      ...[1536, 1536, 128],
    ]);
    for (const node of nodes.slice(0, 2)) {
      const { volumeGroups, drbd } = simulated.stateOf(node) ?? {};
      const sizes = Object.values(volumeGroups?.xenvg?.volumes ?? {}).map(({ sizeMib }) => sizeMib);
      expect(sizes).toEqual([1536, 128]);
      expect(Object.values(drbd ?? {})[0]?.data).toBe("uptodate");
    }
    expectTidy();
    await on(op, { disk: 0, amount: 2048, absolute: true });
    expect(config.snapshot.disksOf(web1())[0]?.size).toBe(2048);
  });

  test("growing a disk of a stopped instance activates it and deactivates it afterwards", async () => {
    const { on, simulated, nodes, web1 } = await staged({ start: false });
    await on("OP_INSTANCE_DEACTIVATE_DISKS");
    const isUp = () => Object.values(simulated.stateOf(nodes[0] ?? "")?.drbd ?? {})[0]?.up;
    await on(op, { disk: 0, amount: 512 });
    expect([isUp(), web1().disks_active]).toEqual([false, false]);
    const { log } = await on(op, { disk: 0, amount: 512, wait_for_sync: false });
    expect(log.at(-1)).toBe(
      " - WARNING: Not shutting down the disk even if the instance is not supposed to be running" +
        " because no wait for sync mode was requested",
    );
    expect(isUp()).toBe(true);
  });

  test("the guest of a running instance sees the growth, or the log says that it needs a restart", async () => {
    const { on, simulated, nodes } = await staged({ hypervisor: "kvm", disk_template: "plain" });
    const growth = { disk: 0, amount: 512 };
    expect((await on(op, growth)).log.join()).not.toContain("WARNING");
    const fault = { kind: "refused", call: "hotplug_device", message: "no room" } as const;
    simulated.fail({ ...fault, node: nodes[0] ?? "" });
    const { status, log } = await on(op, growth);
    expect(status).toBe("success");
    expect(log).toContain(
      " - WARNING: The instance sees the new size of disk 0 after a restart: no room",
    );
    await on("OP_INSTANCE_SHUTDOWN");
    expect((await on(op, growth)).log.join()).not.toContain("WARNING");
  });

  test("the new part of a disk is wiped where the cluster wipes disks", async () => {
    const { on } = await staged(
      { disk_template: "plain" },
      { cluster: { prealloc_wipe_disks: true } },
    );
    const { log } = await on(op, { disk: 0, amount: 512 });
    expect(log).toContain(" - INFO: * Wiping disk 0 (from 1.0G to 1.5G)");
  });

  test("a growth refused by one node leaves the configuration unchanged", async () => {
    const { on, simulated, nodes, config, web1, expectTidy } = await staged();
    const before = config.snapshot.disksOf(web1());
    const fault = { kind: "refused", call: "blockdev_grow", message: "no" } as const;
    simulated.fail({ ...fault, node: nodes[1] ?? "", times: 1 });
    expect((await on(op, { disk: 0, amount: 512 })).result).toEqual(
      failed("Dry-run grow request failed to node node2.example.com: no"),
    );
    simulated.fail({ ...fault, node: nodes[1] ?? "", times: 1, after: 1 });
    expect((await on(op, { disk: 0, amount: 512 })).result).toEqual(
      failed("Grow request failed to node node2.example.com: no"),
    );
    expect(config.snapshot.disksOf(web1())).toEqual(before);
    expectTidy();
  });

  test("a growth leaves reserved space on either node alone", async () => {
    const { on, put, nodes } = await staged();
    const uuid = (digit: number) => `00000000-0000-4000-8000-00000000000${digit}` as never;
    await put(
      {
        kind: "put",
        type: "disk",
        object: {
          uuid: uuid(2),
          forthcoming: true,
          dev_type: "plain",
          size: 510_000,
          nodes: [nodes[1] as never],
          logical_id: ["xenvg", "lv"],
          children: [],
        },
      },
      {
        kind: "put",
        type: "instance",
        object: {
          uuid: uuid(1),
          forthcoming: true,
          primary_node: nodes[1] as never,
          nics: [],
          disks: [uuid(2)],
          tags: [],
        },
      },
    );
    expect((await on(op, { disk: 0, amount: 1024 })).result).toEqual(
      refused(
        "Not enough disk space on target node node2.example.com vg xenvg: required 1024 MiB," +
          " available 848 MiB",
        "insufficient_resources",
      ),
    );
    expect(await on(op, { disk: 0, amount: 800 })).toMatchObject({ status: "success" });
  });

  test("a dry run of a growth changes nothing", async () => {
    const { on, config, web1 } = await staged({ disk_template: "plain" });
    expect(await on(op, { disk: 0, amount: 512, dry_run: true })).toMatchObject({
      status: "success",
      result: null,
    });
    expect(config.snapshot.disksOf(web1())[0]?.size).toBe(1024);
  });
});
