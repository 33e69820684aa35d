import { describe, expect, test } from "vitest";
import { volumeCalls, volumeChecks } from "../../src/storage/lvm/volume-calls.js";
import { volumeOfLine } from "../../src/storage/lvm/volume-table.js";
import { noSignal } from "../a-context.js";
import { type Script, scriptedMachine } from "../scripted-machine.js";
import { physicalWithVolumes, pvsWithVolumes } from "./lvm-lines.js";

const list =
  "lvs --noheadings --units=m --nosuffix '--separator=|' -ovg_name,lv_name,lv_size,lv_attr";

function calls(script: Script) {
  const { context, log } = scriptedMachine(script);
  return { ...volumeCalls(context), checks: volumeChecks(context), log };
}

const request = { clusterName: "cluster.example.com" };

describe("lists of volumes", () => {
  test("show size, activity and use; virtual volumes and unknown lines are left out", async () => {
    const lines =
      "  xenvg|a|128.00|-wi-ao----\n  xenvg|b|64.00|-wi-------|\n  xenvg|c|1.00|vwi-------\n  odd\n";
    const { lv_list, checks, log } = calls({ [`${list} xenvg`]: lines, [list]: lines });
    const expected = [
      { name: "a", volumeGroup: "xenvg", sizeMib: 128, active: true, open: true },
      { name: "b", volumeGroup: "xenvg", sizeMib: 64, active: false, open: false },
    ];
    expect(await lv_list({ volumeGroups: ["xenvg"] }, noSignal)).toEqual(expected);
    expect(log).toEqual(["Invalid line returned from lvs output: 'odd'"]);
    expect(await checks.logicalVolumes?.("xenvg", request)).toEqual({ logicalVolumes: expected });
  });

  test("fail with the output of lvs, which a verification reports as a fault", async () => {
    const stderr = '  Volume group "nope" not found\n';
    const { lv_list, checks } = calls({
      [`${list} nope`]: { code: 5, stderr },
      [list]: { code: 5, stderr },
    });
    const fault = `Failed to list logical volumes, lvs output: ${stderr}`;
    await expect(lv_list({ volumeGroups: ["nope"] }, noSignal)).rejects.toThrow(fault);
    expect(await checks.logicalVolumes?.("xenvg", request)).toEqual({ logicalVolumes: { fault } });
    await expect(lv_list({ volumeGroups: ["--all"] }, noSignal)).rejects.toThrow(
      "Invalid LVM name",
    );
  });

  test("show each physical volume of a volume", async () => {
    const { node_volumes } = calls({
      "lvs --noheadings --units=m --nosuffix '--separator=|' --options=lv_name,lv_size,devices,vg_name":
        "  d2|64.00|/dev/loop1(8)|testvg\n  e1|80.00|/dev/loop0(0),/dev/loop1(0)|testvg\n",
    });
    expect(await node_volumes({}, noSignal)).toEqual([
      { name: "d2", volumeGroup: "testvg", physicalVolume: "/dev/loop1", sizeMib: 64 },
      { name: "e1", volumeGroup: "testvg", physicalVolume: "/dev/loop0", sizeMib: 80 },
      { name: "e1", volumeGroup: "testvg", physicalVolume: "/dev/loop1", sizeMib: 80 },
    ]);
  });

  test("show sizes of groups in whole MiB, and nothing if vgs fails", async () => {
    const vgs = "vgs --noheadings --units m --nosuffix -o name,size";
    const { vg_list, checks } = calls({ [vgs]: ["  testvg 592.90\n", { code: 5 }] });
    expect(await vg_list({}, noSignal)).toEqual({ testvg: 592 });
    expect(await checks.volumeGroups?.(true, request)).toEqual({ volumeGroups: {} });
  });

  test("give sizes of block devices below /dev only", async () => {
    const { bdev_sizes } = calls({
      "blockdev --getsize64 /dev/sdb": "134217729\n",
      "blockdev --getsize64 /dev/tty": { code: 1, stderr: "blockdev: ioctl error\n" },
    });
    const paths = ["/dev/sdb", "/dev/tty", "/etc/passwd", "/dev/../etc/passwd"];
    expect(await bdev_sizes({ paths }, noSignal)).toEqual({ "/dev/sdb": 128 });
  });

  test("name physical volumes with more than one volume if storage is exclusive", async () => {
    const { checks } = calls({ [pvsWithVolumes]: physicalWithVolumes });
    const asked = { ...request, exclusiveStorage: true } as const;
    const found = await checks.physicalVolumes?.(["testvg"], asked);
    expect(found?.sharedPhysicalVolumes).toEqual([{ name: "/dev/loop1", volumes: ["d1", "d2"] }]);
    expect(found?.physicalVolumes?.[1]).toEqual({
      ...{ name: "/dev/loop1", volumeGroup: "testvg", sizeMib: 296, freeMib: 200 },
      ...{ attributes: "u--", volumes: [] },
    });
  });
});

describe("a line of the table of volumes", () => {
  test.each([
    ["xenvg|a|-wi-a-----|253|0|4096.00|1", "Can't parse LVS output, len("],
    ["xenvg|a|-wi|253|0|4096.00|1|/dev/vdc(0)", "lvs lv_attr is not at least 6 characters (-wi)"],
    ["xenvg|a|-wi-a-----|x|0|4096.00|1|/dev/vdc(0)", "lvs major/minor cannot be parsed: x"],
    ["xenvg|a|-wi-a-----|253|0|4096.00|1|/dev/vdc", "Can't parse this device list: /dev/vdc"],
  ])("%s is refused", (line, text) => {
    expect(() => volumeOfLine(line)).toThrow(text);
  });

  test("may end with an empty ninth column", () => {
    expect(volumeOfLine("x|a|-wi-a-----|253|0|4096.00|1|/dev/vdc(0)|").physicalVolumes).toEqual([
      "/dev/vdc",
    ]);
  });
});
