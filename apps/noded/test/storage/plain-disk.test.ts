import type { DiskOnNode } from "@ganeti-ts/node-calls";
import { describe, expect, test } from "vitest";
import { plainDisks, tagText } from "../../src/storage/lvm/plain-disk.js";
import { requestVolumes } from "../../src/storage/lvm/volume-table.js";
import { type Script, scriptedMachine } from "../scripted-machine.js";
import { groups, lvs, physical, pvs, vgs, volumes } from "./lvm-lines.js";

const disk = (name: string, more: Partial<DiskOnNode> = {}): DiskOnNode => ({
  uuid: `uuid-${name}`,
  dev_type: "plain",
  size: 128,
  logical_id: ["xenvg", name],
  params: { stripes: 2 },
  ...more,
});

function machine(script: Script) {
  const made = scriptedMachine({ [lvs]: volumes, [pvs]: physical, [vgs]: groups, ...script });
  return { ...made, disks: plainDisks(made.context, requestVolumes(made.context)) };
}

const creation = { sizeMib: 128, exclusiveStorage: false, children: [] };
const growth = { amountMib: 100, dryRun: false, backingStore: true, exclusiveStorage: false };

describe("disks that are logical volumes", () => {
  test("are found in a table that one request reads once", async () => {
    const { disks, commands } = machine({});
    expect(await disks.find(disk("striped"))).toEqual({
      path: "/dev/xenvg/striped",
      major: 253,
      minor: 2,
      uri: null,
    });
    expect(await disks.find(disk("missing"))).toBeNull();
    expect(commands).toEqual([lvs]);
  });

  test("are neither found nor missing while the table cannot be read", async () => {
    const { disks, log, commands } = machine({ [lvs]: { code: 5, stderr: "  locked\n" } });
    const fault =
      "Can't look for /dev/xenvg/striped: lvs failed: exited with exit code 5 -   locked";
    await expect(disks.find(disk("striped"))).rejects.toThrow(fault);
    // If the removal took the volume for missing, it would leave it behind.
    await expect(disks.remove(disk("striped"))).rejects.toThrow(fault);
    // The next lookup reads the table again.
    expect(commands).toEqual([lvs, lvs]);
    expect(new Set(log)).toEqual(new Set(["lvs failed: exited with exit code 5 -   locked\n"]));
  });

  test("are found in the output of lvs for intact groups while another group is damaged", async () => {
    const listed = "  xenvg|striped|owi-a-s---|253|2|4096.00|2|/dev/vdc(64),/dev/vdd(0)\n";
    const { disks } = machine({ [lvs]: { code: 5, stdout: listed, stderr: "  damaged\n" } });
    expect(await disks.find(disk("striped"))).toMatchObject({ path: "/dev/xenvg/striped" });
    await expect(disks.find(disk("other"))).rejects.toThrow("damaged");
  });

  test("are created on the emptiest allocatable physical volumes, with fewer stripes if needed", async () => {
    const create = (stripes: number) =>
      `lvcreate -Wn -L128m -nnew -i${stripes} xenvg /dev/vdd /dev/vdc`;
    const { disks, commands } = machine({
      [create(2)]: { code: 5, stderr: "  no\n" },
      [create(1)]: '  Logical volume "new" created.\n',
    });
    await disks.create(disk("new", { params: { stripes: 7 } }), creation);
    expect(commands).toEqual([lvs, pvs, create(2), create(1)]);
  });

  test("fail with the last output of lvcreate if they cannot be created", async () => {
    const { disks } = machine({
      "lvcreate -Wn -L128m -nnew -i1 xenvg /dev/vdd /dev/vdc": { code: 5, stderr: "  no\n" },
    });
    await expect(disks.create(disk("new", { params: { stripes: 1 } }), creation)).rejects.toThrow(
      "LV create failed (exited with exit code 5):   no\n",
    );
  });

  test.each([
    [
      "more than is free",
      { sizeMib: 4096 },
      "Not enough free space: required 4096, available 1392.0",
    ],
    ["a group without physical volumes", { group: "other" }, "Can't compute PV info for vg other"],
    ["a name that is an option", { name: "-n" }, "Invalid LVM name '-n'"],
    ["a name that is reserved", { name: "a_mlog" }, "Invalid LVM name 'a_mlog'"],
  ])(
    "are refused for %s",
    async (_, {
      group = "xenvg",
      name = "new",
      sizeMib = 128,
    }: { group?: string; name?: string; sizeMib?: number }, text) => {
      const wanted = disk("new", { logical_id: [group, name] });
      const { disks } = machine({});
      await expect(disks.create(wanted, { ...creation, sizeMib })).rejects.toThrow(text);
    },
  );

  test("are accepted if they exist with the same size up to whole extents, and refused with another size", async () => {
    const size = "lvs --noheadings --units=m --nosuffix -olv_size /dev/xenvg/striped";
    const { disks, commands } = machine({ [size]: "  128.00\n" });
    await disks.create(disk("striped"), creation);
    await disks.create(disk("striped"), { ...creation, sizeMib: 121 });
    expect(commands).toEqual([lvs, size, size]);
    for (const sizeMib of [120, 129]) {
      await expect(disks.create(disk("striped"), { ...creation, sizeMib })).rejects.toThrow(
        `Logical volume /dev/xenvg/striped exists with 128 MiB instead of ${sizeMib} MiB`,
      );
    }
  });

  const listed = "lvs --noheadings --units=m --nosuffix -olv_size /dev/xenvg/striped";

  test("grow by whole extents of all stripes, with the first policy that works", async () => {
    const extend = (policy: string) => `lvextend -L +106496k --alloc ${policy} /dev/xenvg/striped`;
    const { disks, commands } = machine({
      [listed]: "  128.00\n",
      [extend("contiguous")]: { code: 5 },
      [extend("cling")]: "",
    });
    await disks.grow(disk("striped"), growth);
    expect(commands.slice(1)).toEqual([listed, extend("contiguous"), extend("cling")]);
  });

  test("are extended only by the missing amount, and not at all if an earlier call has grown them", async () => {
    const extend = "lvextend -L +8192k --alloc contiguous /dev/xenvg/striped";
    const { disks, commands } = machine({
      [listed]: ["  232.00\n", "  240.00\n", "  224.00\n"],
      [extend]: "",
    });
    for (const _ of [1, 2, 3]) await disks.grow(disk("striped"), { ...growth, amountMib: 104 });
    expect(commands.filter((words) => words.startsWith("lvextend"))).toEqual([extend]);
  });

  test("are only tested in a dry run, and left alone when the device on top of them grows", async () => {
    const test = "lvextend -L +106496k --test --alloc contiguous /dev/xenvg/striped";
    const { disks, commands } = machine({ [listed]: "  128.00\n", [test]: "" });
    await disks.grow(disk("striped"), { ...growth, dryRun: true });
    await disks.grow(disk("striped"), { ...growth, backingStore: false });
    expect(commands).toEqual([lvs, listed, test]);
  });

  test("are removed once, and read again after a failure", async () => {
    const remove = "lvremove -f xenvg/striped";
    const { disks, commands } = machine({
      [lvs]: [volumes, volumes, ""],
      [remove]: [{ code: 5, stderr: "  in use\n" }, ""],
    });
    await expect(disks.remove(disk("striped"))).rejects.toThrow(
      "Can't lvremove: exited with exit code 5 -   in use\n",
    );
    await disks.remove(disk("striped"));
    await disks.remove(disk("striped"));
    expect(commands).toEqual([lvs, remove, lvs, remove, lvs]);
  });

  test("are renamed within their group, even if the call is repeated", async () => {
    const rename = "lvrename xenvg striped fresh";
    const { disks, commands } = machine({
      [lvs]: [volumes, volumes.replaceAll("|striped|", "|fresh|")],
      [rename]: "",
    });
    await disks.rename(disk("striped"), ["xenvg", "fresh"]);
    await disks.rename(disk("striped"), ["xenvg", "fresh"]);
    expect(commands.filter((one) => one === rename)).toHaveLength(1);
    await expect(disks.rename(disk("striped"), ["testvg", "fresh"])).rejects.toThrow(
      "Can't move a logical volume across volume groups (from xenvg to to testvg)",
    );
  });

  test("have snapshots, which replace existing ones of the same name", async () => {
    const create = "lvcreate -L128m -s -nstriped.snap /dev/xenvg/striped";
    const { disks, commands } = machine({ "lvremove -f xenvg/striped.snap": "", [create]: "" });
    const id = await disks.snapshot?.(disk("striped"), { name: null, sizeMib: null });
    expect(id).toEqual(["xenvg", "striped.snap"]);
    expect(commands).toEqual([lvs, "lvremove -f xenvg/striped.snap", vgs, create]);
    const huge = disks.snapshot?.(disk("striped"), { name: "x", sizeMib: 5000 });
    await expect(huge).rejects.toThrow("Not enough free space: required 5000, available 1192.0");
  });

  test("have one tag, the text of setinfo", async () => {
    const tags = "lvs -o tags --noheadings --nosuffix /dev/xenvg/striped";
    const { disks, commands } = machine({
      [tags]: "  b,originstname+old\n",
      "lvchange --deltag b /dev/xenvg/striped": "",
      "lvchange --deltag originstname+old /dev/xenvg/striped": "",
      "lvchange --addtag originstname+web.example.com /dev/xenvg/striped": "",
    });
    await disks.setInfo(disk("striped"), "originstname+web.example.com");
    expect(commands.at(-1)).toContain("--addtag");
    expect(commands).toHaveLength(4);
    expect(tagText("-a b/ä")).toBe("_a_b__");
    expect(tagText("x".repeat(200))).toHaveLength(128);
  });

  test("count the physical volumes of all their segments as spindles", async () => {
    const { disks } = machine({ "blockdev --getsize64 /dev/xenvg/grown": "134217728\n" });
    expect(await disks.size(disk("grown"))).toEqual({ bytes: 134_217_728, spindles: 3 });
    expect(await disks.size(disk("missing"))).toBeNull();
  });

  test("are degraded and faulty if LVM has lost them", async () => {
    const { disks } = machine({});
    const status = async (name: string) => {
      const { degraded, localDisk } = await disks.status(disk(name), {} as never);
      return [degraded, localDisk];
    };
    expect([await status("striped"), await status("lost"), await status("partial")]).toEqual([
      [false, "ok"],
      [true, "faulty"],
      [true, "faulty"],
    ]);
  });
});

describe("exclusive storage", () => {
  const empty = [1, 2, 3]
    .map((number) => `  /dev/sd${number}|xenvg|1030.00|a--|1030.00|/dev/sd${number}\n`)
    .join("");
  const exclusive = { ...creation, sizeMib: 1500, exclusiveStorage: true };

  test("takes as many empty physical volumes as the disk has spindles", async () => {
    const create = "lvcreate -Wn -L1500m -nnew -i2 xenvg /dev/sd1 /dev/sd2";
    const { disks, commands } = machine({ [pvs]: empty, [create]: "" });
    await disks.create(disk("new", { spindles: 2 }), exclusive);
    expect(commands.at(-1)).toBe(create);
  });

  test.each([
    [undefined, "Unspecified number of spindles"],
    [
      1,
      "Requested number of spindles (1) is not enough for a disk of 1500 MB (at least 2 spindles needed)",
    ],
    [4, "Not enough empty PVs (spindles) to create a disk of 1500 MB: 3 available, 4 needed"],
  ])("refuses a disk of 1500 MiB with %s spindles", async (spindles, text) => {
    const { disks } = machine({ [pvs]: empty });
    await expect(disks.create(disk("new", { spindles }), exclusive)).rejects.toThrow(text);
  });

  test("grows a volume only on its own physical volumes", async () => {
    const own =
      "  /dev/vdc|xenvg|530.00|a--|1030.00|/dev/vdc\n  /dev/vdd|xenvg|530.00|a--|1030.00|/dev/vdd\n";
    const extend = "lvextend -L +106496k --alloc contiguous /dev/xenvg/striped /dev/vdc /dev/vdd";
    const { disks, commands } = machine({
      ...{ [pvs]: own + empty, [extend]: "" },
      "lvs --noheadings --units=m --nosuffix -olv_size /dev/xenvg/striped": "  128.00\n",
    });
    await disks.grow(disk("striped"), { ...growth, exclusiveStorage: true });
    expect(commands.at(-1)).toBe(extend);
    const tooMuch = { ...growth, amountMib: 1024, exclusiveStorage: true };
    await expect(disks.grow(disk("striped"), tooMuch)).rejects.toThrow(
      "Not enough free space to grow /dev/xenvg/striped: 1024 MiB required, 1000 available",
    );
  });
});
