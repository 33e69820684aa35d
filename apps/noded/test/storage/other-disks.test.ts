import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import { describe, expect, test } from "vitest";
import { adoptedDisks } from "../../src/storage/block-device.js";
import { shellWords } from "../../src/storage/drbd/options.js";
import { glusterDisks } from "../../src/storage/gluster-disk.js";
import { deviceInJson, deviceInTable, rbdDisks } from "../../src/storage/rbd-disk.js";
import { aFolder } from "../a-context.js";
import { type Script, scriptedMachine } from "../scripted-machine.js";

const volume = { pool: "rbd", name: "vol1" };
const creation = { sizeMib: 128, exclusiveStorage: false, children: [] };

describe("rbd disks", () => {
  const disk: DiskOnNode = {
    ...{ uuid: "uuid-rbd", dev_type: "rbd", size: 128, logical_id: ["rbd", "vol1"] },
    params: { pool: "rbd", access: "userspace" },
  };
  const mapped = "rbd showmapped --format json";
  const entry = '{"id":"0","pool":"rbd","name":"vol1","snap":"-","device":"/dev/rbd0"}';
  const machine = (script: Script) => {
    const made = scriptedMachine(script);
    return { ...made, disks: rbdDisks(made.context) };
  };

  test("are mapped by looking for them, and have a URI for the hypervisor", async () => {
    const { disks, commands } = machine({
      [mapped]: ["[]", `[${entry}]`],
      "rbd map -p rbd vol1": "",
    });
    expect(await disks.find(disk)).toMatchObject({ path: "/dev/rbd0", uri: "rbd:rbd/vol1" });
    expect(commands).toEqual([mapped, "rbd map -p rbd vol1", mapped]);
  });

  test("are missing if they cannot be mapped, for which assembly gives the reason", async () => {
    const { disks } = machine({
      [mapped]: "[]",
      "rbd map -p rbd vol1": { code: 2, stderr: "no\n" },
    });
    expect(await disks.find(disk)).toBeNull();
    await expect(disks.assemble(disk, [])).rejects.toThrow(
      "rbd map failed (exited with exit code 2): no\n",
    );
  });

  test("are created, resized, unmapped and removed by rbd", async () => {
    const words = [
      ...["rbd create -p rbd vol1 --size 128", "rbd resize -p rbd vol1 --size 192", mapped],
      ...["rbd unmap /dev/rbd0", "rbd rm -p rbd vol1"],
    ];
    const { disks, commands } = machine({
      ...Object.fromEntries(words.map((word) => [word, ""])),
      [mapped]: `[${entry}]`,
    });
    await disks.create(disk, creation);
    await disks.grow(disk, {
      ...{ amountMib: 64, dryRun: false, backingStore: true, exclusiveStorage: false },
    });
    await disks.remove(disk);
    expect(commands).toEqual(words);
  });

  test.each([
    [`[${entry}]`, "/dev/rbd0"],
    [`{"0":${entry}}`, "/dev/rbd0"],
    ["[]", null],
    ["{}", null],
  ])("are found in the list %s as %s", (text, device) => {
    expect(deviceInJson(text, volume)).toBe(device);
  });

  test("must be mapped only once, in a list that can be parsed", () => {
    expect(() => deviceInJson(`[${entry},${entry}]`, volume)).toThrow(
      "vol1 is mapped more than once",
    );
    expect(() => deviceInJson('[{"name":"vol1"}]', volume)).toThrow("'pool' key missing");
    const table = "id pool image snap device\n0 rbd vol1 - /dev/rbd3\n";
    expect(deviceInTable(table, volume)).toBe("/dev/rbd3");
    expect(() => deviceInTable("0 rbd vol1 /dev/rbd3\n", volume)).toThrow(
      "expected 5 fields, found 4",
    );
  });

  test("cannot have names that are options", async () => {
    const { disks } = machine({});
    const named = { ...disk, logical_id: ["rbd", "--all"] };
    await expect(disks.create(named, creation)).rejects.toThrow("Invalid name of a rbd volume");
  });
});

describe("adopted devices", () => {
  const disk = (driver: string, path: string): DiskOnNode => ({
    ...{ uuid: "uuid-adopted", dev_type: "blockdev", size: 128, logical_id: [driver, path] },
  });
  const disks = adoptedDisks(scriptedMachine({}).context);

  test("must be block devices below /dev", async () => {
    expect(await disks.find(disk("manual", "/dev/null"))).toBeNull();
    await expect(disks.create(disk("manual", "/dev/null"), creation)).rejects.toThrow(
      "/dev/null: No such block device",
    );
    for (const path of ["/etc/passwd", "/dev/../etc/passwd"]) {
      await expect(disks.find(disk("manual", path))).rejects.toThrow("lies outside /dev");
    }
    await expect(disks.find(disk("loop", "/dev/null"))).rejects.toThrow(
      "Got persistent block device of invalid type: loop",
    );
  });

  test("are neither grown nor renamed", async () => {
    await expect(disks.rename(disk("manual", "/dev/a"), [])).rejects.toThrow(
      "Rename is not supported for PersistentBlockDev storage",
    );
  });
});

test("a gluster disk is a file below a volume that is mounted first", async () => {
  const root = aFolder();
  const mountPoint = join(root, "gluster");
  const words = `mount -t glusterfs -o server-port=24007 192.0.2.5:/gv0 ${mountPoint}`;
  const proc = join(root, "proc");
  mkdirSync(proc);
  writeFileSync(join(proc, "mounts"), "");
  mkdirSync(join(root, "etc/ganeti"), { recursive: true });
  writeFileSync(join(root, "etc/ganeti/file-storage-paths"), `${mountPoint}\n`);
  const made = scriptedMachine({ [words]: "mount failed\n", [`umount ${mountPoint}`]: "" }, root);
  const context = {
    ...{ ...made.context, paths: { ...made.context.paths, proc } },
    ssconf: async () => [mountPoint],
  };
  const disks = glusterDisks(context);
  const params = { access: "userspace", host: "192.0.2.5", port: 24_007, volume: "gv0" };
  const disk: DiskOnNode = {
    ...{ uuid: "uuid-gluster", dev_type: "gluster", size: 128, params },
    logical_id: ["loop", "ganeti/web.0"],
  };
  await expect(disks.create(disk, creation)).rejects.toThrow(
    `'${mountPoint}': mount failure: mount failed`,
  );
  writeFileSync(join(proc, "mounts"), `192.0.2.5:/gv0 ${mountPoint} fuse.glusterfs rw 0 0\n`);
  await disks.create(disk, creation);
  expect(await disks.find(disk)).toEqual({
    ...{ path: join(mountPoint, "ganeti/web.0"), major: null, minor: null },
    uri: "gluster://192.0.2.5:24007/gv0/ganeti/web.0",
  });
  await disks.remove(disk);
  expect(made.commands).toEqual([words, `umount ${mountPoint}`]);
  const outside = { ...disk, logical_id: ["loop", "../../etc/passwd"] };
  await expect(disks.find(outside)).rejects.toThrow("is not below");
});

test.each([
  ["", []],
  ["--a 1  --b", ["--a", "1", "--b"]],
  [`'x y'"z \\" $" \\  ''`, ['x yz " $', " ", ""]],
])("the text %j is split as a shell does", (text, words) => {
  expect(shellWords(text)).toEqual(words);
});

test("an unterminated quotation is refused", () => {
  expect(() => shellWords("a 'b")).toThrow("No closing quotation");
});
