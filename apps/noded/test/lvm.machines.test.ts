// Real LVM on loop devices without the device mapper: metadata changes, but volumes have no device for data.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemRunner } from "../src/machine/system-runner.js";
import { storageCalls } from "../src/storage/calls.js";
import { storageSpace } from "../src/storage/units/storage-space.js";
import { noSignal } from "./a-context.js";
import { scriptedMachine } from "./scripted-machine.js";

const run = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();

/** Whether this machine has loop devices and LVM, and the test runs as root. */
const isPossible = ((): boolean => {
  try {
    run("lvs", "--version");
    run("losetup", "-f");
    return process.getuid?.() === 0;
  } catch {
    return false;
  }
})();

describe.skipIf(!isPossible)("real LVM (skipped: lvm2, loop devices or root missing)", () => {
  const folder = mkdtempSync(join(tmpdir(), "lvm-"));
  const group = `test${process.pid}`;
  const devices: string[] = [];
  const before = process.env.LVM_SYSTEM_DIR;
  const { context: scripted } = scriptedMachine({}, folder);
  const context = { ...scripted, run: systemRunner(() => {}) };
  const calls = storageCalls(context);

  beforeAll(() => {
    for (const name of ["a", "b"]) {
      run("truncate", "-s", "300M", join(folder, name));
      devices.push(run("losetup", "-f", "--show", join(folder, name)));
    }
    const filter = [...devices.map((device) => `"a|^${device}$|"`), '"r|.*|"'].join(",");
    writeFileSync(
      join(folder, "lvm.conf"),
      `devices { filter=[${filter}] use_devicesfile=0 obtain_device_list_from_udev=0 external_device_info_source="none" }
activation { udev_sync=0 udev_rules=0 }
global { activation=0 use_lvmpolld=0 }
`,
    );
    process.env.LVM_SYSTEM_DIR = folder;
    run("pvcreate", "-ff", "-y", ...devices);
    run("vgcreate", group, ...devices);
  });
  afterAll(() => {
    if (devices.length === 2) run("vgremove", "-f", group);
    for (const device of devices) run("losetup", "-d", device);
    if (before === undefined) delete process.env.LVM_SYSTEM_DIR;
    else process.env.LVM_SYSTEM_DIR = before;
    rmSync(folder, { recursive: true });
  });

  const disk = (name: string, stripes: number): DiskOnNode => ({
    ...{ uuid: `uuid-${name}`, dev_type: "plain", size: 64, params: { stripes } },
    logical_id: [group, name],
  });
  const create = (one: DiskOnNode) =>
    calls.blockdev_create?.(
      {
        ...{ disk: one, sizeMib: one.size, owner: "web.example.com", onPrimary: true },
        ...{ info: "originstname+web.example.com", exclusiveStorage: false },
      },
      noSignal,
    );
  const sizes = async () =>
    (await calls.lv_list?.({ volumeGroups: [group] }, noSignal))?.map(({ name, sizeMib }) => [
      name,
      sizeMib,
    ]);

  test("volumes are created with stripes, grown, tagged, renamed and removed", async () => {
    await create(disk("d1", 2));
    await create(disk("d1", 2));
    await create(disk("d2", 1));
    await expect(create({ ...disk("d1", 2), size: 96 })).rejects.toThrow("instead of 96 MiB");
    const growth = { amountMib: 10, dryRun: false, backingStore: true, exclusiveStorage: false };
    await calls.blockdev_grow?.({ disk: disk("d1", 2), ...growth, dryRun: true }, noSignal);
    await calls.blockdev_grow?.({ disk: disk("d1", 2), ...growth }, noSignal);
    await calls.blockdev_grow?.({ disk: disk("d1", 2), ...growth }, noSignal);
    expect(await sizes()).toEqual([
      ["d1", 80],
      ["d2", 64],
    ]);
    await calls.blockdev_setinfo?.({ disk: disk("d1", 2), info: "originstname+db" }, noSignal);
    expect(run("lvs", "--noheadings", "-o", "tags", `${group}/d1`)).toBe("originstname+db");
    const renames = [{ disk: disk("d1", 2), logicalId: [group, "e1"] }];
    await calls.blockdev_rename?.({ renames }, noSignal);
    await calls.blockdev_rename?.({ renames }, noSignal);
    await calls.blockdev_remove?.({ disk: disk("d2", 1) }, noSignal);
    await calls.blockdev_remove?.({ disk: disk("d2", 1) }, noSignal);
    expect(await sizes()).toEqual([["e1", 80]]);
    const used = (await calls.node_volumes?.({}, noSignal))?.map((one) => one.physicalVolume);
    expect(new Set(used)).toEqual(new Set(devices));
  });

  test("space and units follow what is allocated, and a closed physical volume takes nothing", async () => {
    const [space] = await storageSpace(context, [{ type: "lvm-vg", key: group, exclusive: false }]);
    expect(space).toMatchObject({ size: 592, free: 512 });
    const unit = { type: "lvm-pv", directories: [], name: devices[0] ?? "" };
    await calls.storage_modify?.({ ...unit, changes: { allocatable: false } }, noSignal);
    const fields = ["allocatable", "used"] as const;
    expect(await calls.storage_list?.({ ...unit, fields }, noSignal)).toEqual([[false, 40]]);
    await create(disk("d3", 2));
    const places = (await calls.node_volumes?.({}, noSignal))?.filter(({ name }) => name === "d3");
    expect(places?.map((one) => one.physicalVolume)).toEqual([devices[1]]);
  });

  test("a group that has lost a physical volume is repaired", async () => {
    await calls.blockdev_remove?.({ disk: disk("e1", 2) }, noSignal);
    const lost = devices.shift() as string;
    run("losetup", "-d", lost);
    const repair = { type: "lvm-vg", directories: [], name: group } as const;
    await calls.storage_execute?.({ ...repair, operation: "fix-consistency" }, noSignal);
    expect(await sizes()).toEqual([["d3", 64]]);
    run("vgremove", "-f", group);
  });
});
