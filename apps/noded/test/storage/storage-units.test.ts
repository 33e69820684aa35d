import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { unitCalls } from "../../src/storage/units/storage-calls.js";
import { storageSpace } from "../../src/storage/units/storage-space.js";
import { aFolder, noSignal } from "../a-context.js";
import { type Script, scriptedMachine } from "../scripted-machine.js";
import { physical, pvs, vgs } from "./lvm-lines.js";

const pvUnits =
  "pvs --noheadings --units=m --nosuffix --separator '|' --options pv_name,pv_size,pv_used,pv_free,pv_attr";
const vgUnits =
  "vgs --noheadings --units=m --nosuffix --separator '|' --options vg_name,vg_size,vg_free";
const pvLines =
  "  /dev/loop0|296.50|40.00|256.50|u--\n  /dev/loop1|297.50|104.00|192.00|a--\n  odd\n" +
  "  [unknown]|296.00|40.00|256.00|a-m\n";

function machine(script: Script, root?: string) {
  const made = scriptedMachine({ [pvUnits]: pvLines, ...script }, root);
  return { ...made, calls: unitCalls(made.context) };
}
const pv = { type: "lvm-pv", directories: [] };
const vg = { type: "lvm-vg", directories: [] };

describe("storage units", () => {
  test("of LVM have rounded sizes in the order of the fields", async () => {
    const { calls, log } = machine({ [vgUnits]: "  xenvg|592.00|448.60\n" });
    const fields = ["allocatable", "free", "used", "size", "name"] as const;
    expect(await calls.storage_list({ ...pv, name: null, fields }, noSignal)).toEqual([
      [false, 256, 40, 296, "/dev/loop0"],
      [true, 192, 104, 298, "/dev/loop1"],
      [false, 256, 40, 296, "[unknown]"],
    ]);
    expect(log).toEqual(["Unexpected line of pvs: 'odd'"]);
    expect(await calls.storage_list({ ...vg, name: "xenvg", fields }, noSignal)).toEqual([
      [true, 449, 143, 592, "xenvg"],
    ]);
    expect(await calls.storage_list({ ...vg, name: "none", fields }, noSignal)).toEqual([]);
  });

  test("of type file must be allowed directories, and count the files in them", async () => {
    const root = aFolder();
    mkdirSync(join(root, "etc/ganeti"), { recursive: true });
    mkdirSync(join(root, "disks/web"), { recursive: true });
    writeFileSync(join(root, "etc/ganeti/file-storage-paths"), `${join(root, "disks")}\n`);
    writeFileSync(join(root, "disks/web/disk0"), Buffer.alloc(3 * 1024 * 1024));
    const { calls } = machine({}, root);
    const list = (directory: string) =>
      calls.storage_list(
        { type: "file", directories: [directory], name: null, fields: ["used", "allocatable"] },
        noSignal,
      );
    expect(await list(join(root, "disks"))).toEqual([[3, true]]);
    await expect(list("/srv")).rejects.toThrow("is not acceptable for file storage");
  });

  test("can be closed for new disks, and a repeated call changes nothing", async () => {
    const change = "pvchange --allocatable n /dev/loop1";
    const { calls, commands } = machine({ [change]: "" });
    const modify = (name: string, changes: Record<string, boolean | number>) =>
      calls.storage_modify({ ...pv, name, changes }, noSignal);
    await modify("/dev/loop0", { allocatable: false });
    await modify("/dev/loop1", { allocatable: false });
    expect(commands.filter((one) => one !== pvUnits)).toEqual([change]);
    await expect(modify("/dev/loop1", { size: 5 })).rejects.toThrow(
      "Unable to modify the following fields: ['size']",
    );
    await expect(modify("--all", { allocatable: true })).rejects.toThrow("is not the path of");
  });

  test("of an unknown type, or that cannot be repaired, are refused", async () => {
    const { calls } = machine({});
    const repair = { name: "/dev/loop0", operation: "fix-consistency" } as const;
    await expect(calls.storage_execute({ ...pv, ...repair }, noSignal)).rejects.toThrow(
      "Unable to execute 'fix-consistency' on storage of type 'lvm-pv'",
    );
    const odd = { type: "toString", directories: [], name: null, fields: [] };
    await expect(calls.storage_list(odd, noSignal)).rejects.toThrow(
      "Unknown storage type: 'toString'",
    );
  });
});

describe("the repair of a volume group", () => {
  const reduce = "vgreduce --removemissing xenvg";
  const force = "vgreduce --removemissing --force xenvg";
  const look = "vgs --noheadings --nosuffix xenvg";
  const repair = { ...vg, name: "xenvg", operation: "fix-consistency" } as const;
  const healthy = "  xenvg   1   1   0 wz--n- 296.00m 232.00m\n";

  test("ends when LVM has written a consistent group", async () => {
    const written = "  Wrote out consistent volume group xenvg.\n";
    const { calls, commands } = machine({ [reduce]: written, [look]: healthy });
    await calls.storage_execute(repair, noSignal);
    expect(commands).toEqual([reduce, look]);
  });

  test("is forced if volumes are lost, and fails if devices stay missing", async () => {
    const partial =
      "  WARNING: Partial LV d1 needs to be repaired or removed.\n  use vgreduce --removemissing --force.\n  Wrote out consistent volume group xenvg.\n";
    const missing = "  WARNING: Couldn't find device with uuid r8wf7f-zQ5v-NJnd.\n";
    const { calls, commands } = machine({
      ...{ [reduce]: { code: 5, stdout: partial }, [force]: "  done\n" },
      [look]: [healthy, { stdout: healthy, stderr: missing }],
    });
    await calls.storage_execute(repair, noSignal);
    expect(commands).toEqual([reduce, force, look]);
    await expect(calls.storage_execute(repair, noSignal)).rejects.toThrow(
      `Volume group 'xenvg' still not consistent, 'vgreduce' output:   done\n, 'vgs' output: ${healthy}${missing}`,
    );
  });
});

describe("the space of storage", () => {
  const spindles = [
    ...[
      "  /dev/sda|xenvg|1030.00|a--|1030.00|/dev/sda",
      "  /dev/sdb|xenvg|20.00|a--|1030.00|/dev/sdb",
    ],
    "  /dev/sdc|xenvg|1030.00|a--|1030.00|/dev/sdc\n",
  ].join("\n");
  const { context } = scriptedMachine({
    [pvs]: spindles,
    [vgs]: "  xenvg|2080.50|wz--n-|3090.50\n",
  });
  const space = async (type: string, key: string, exclusive?: boolean) => {
    const asked = { type, key, ...(exclusive !== undefined && { exclusive }) };
    const [found] = await storageSpace(context, [asked]);
    return [found?.size, found?.free];
  };

  test("of a group counts free extents, with exclusive storage standard sizes of empty volumes", async () => {
    expect(await space("lvm-vg", "xenvg", false)).toEqual([3090, 2080]);
    expect(await space("lvm-vg", "xenvg", true)).toEqual([3090, 2000]);
    expect(await space("lvm-vg", "other", false)).toEqual([null, null]);
  });

  test("of a group does not count free extents of closed physical volumes", async () => {
    const closed = scriptedMachine({ [pvs]: physical, [vgs]: "  xenvg|1492.00|wz--n-|2188.00\n" });
    const key = { type: "lvm-vg", key: "xenvg", exclusive: false };
    const lines = physical.replace(/^.*unknown.*\n/m, "");
    const without = scriptedMachine({ [pvs]: lines, [vgs]: "  xenvg|1492.00|wz--n-|2188.00\n" });
    expect(await storageSpace(without.context, [key])).toMatchObject([{ size: 2188, free: 1392 }]);
    expect(await storageSpace(closed.context, [key])).toMatchObject([{ size: 2188, free: 892 }]);
  });

  test("of a group whose device is missing has no room until it is repaired", async () => {
    const partial = scriptedMachine({ [pvs]: physical, [vgs]: "  xenvg|1492.00|wz-pn-|2188.00\n" });
    for (const exclusive of [false, true]) {
      expect(
        await storageSpace(partial.context, [{ type: "lvm-vg", key: "xenvg", exclusive }]),
      ).toMatchObject([{ size: 2188, free: 0 }]);
    }
  });

  test("of physical volumes is their number if storage is exclusive", async () => {
    expect(await space("lvm-pv", "xenvg", true)).toEqual([3, 2]);
    expect(await space("lvm-pv", "xenvg", false)).toEqual([0, 0]);
  });

  test("of a directory is that of its file system", async () => {
    const [size, free] = await space("file", tmpdir());
    expect(Number(size)).toBeGreaterThanOrEqual(Number(free));
    await expect(space("file", "/no/such/folder")).rejects.toThrow(
      "Failed to retrieve file system information about path: /no/such/folder - ",
    );
    await expect(space("rbd", "pool")).rejects.toThrow("'rbd' is not supported");
  });
});
