import { diskOnNode } from "@ganeti-ts/config";
import type { RealDisk } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { refused } from "../../../test/support/results.js";
import { staged } from "../../../test/support/web1.js";

const op = "OP_INSTANCE_REPAIR";

test("a repair recreates disks on the primary that have lost their storage", async () => {
  const volumeGroups = { xenvg: { "/dev/sda3": 4000, "/dev/sdb1": 4000 } };
  const { on, simulated, nodes, runningOn } = await staged({}, { host: { volumeGroups } });
  const nothing = "No disks need replacement for instance 'web1.example.com'";
  expect(await on(op)).toMatchObject({ result: [], log: expect.arrayContaining([nothing]) });
  const { volumes = {} } = simulated.stateOf(nodes[0] ?? "")?.volumeGroups.xenvg ?? {};
  const [carrier] = Object.values(volumes).flatMap(({ pieces }) => pieces.map((piece) => piece.on));
  await simulated.breakPhysicalVolume(nodes[0] ?? "", "xenvg", carrier ?? "");
  expect(await on(op, { dry_run: true })).toMatchObject({ status: "success" });
  const { status, log, result } = await on(op);
  expect(status).toBe("success");
  expect(result).toEqual([0]);
  expect(log).toContain(" - INFO: Adding storage on node1.example.com for disk/0");
  expect((await on(op)).log.at(-1)).toBe(nothing);
  expect(runningOn(1)).toEqual(["web1.example.com"]);
});

test("a repair replaces a disk whose volume is really gone", async () => {
  const { on, simulated, nodes, config, web1 } = await staged({});
  const now = config.snapshot;
  const [disk] = now.disksOf(web1()).map((one) => diskOnNode(now, web1(), one as RealDisk));
  if (disk === undefined) throw new Error("no disk");
  const caller = { lease: "1:1", signal: new AbortController().signal };
  const children = disk.children ?? [];
  const [data = disk] = children;
  const [primary = ""] = nodes;
  await simulated.call(primary, "blockdev_removechildren", { disk, children }, caller);
  const removed = await simulated.call(primary, "blockdev_remove", { disk: data }, caller);
  expect(removed).toMatchObject({ ok: true });
  const { status, result, log } = await on(op);
  expect({ status, result }, log.join("\n")).toEqual({ status: "success", result: [0] });
});

test("a repair needs active disks and a mirror", async () => {
  const { on } = await staged({ start: false });
  await on("OP_INSTANCE_DEACTIVATE_DISKS");
  expect((await on(op)).result).toEqual(
    refused("Please run activate-disks on instance web1.example.com first", "wrong_state"),
  );
  const plain = await staged({ disk_template: "plain" });
  expect((await plain.on(op)).result).toEqual(
    refused(
      "The instance has a strange layout, expected one secondary but found 0",
      "internal_error",
    ),
  );
});
