import { aDrbdDisk, anInstance, aPlainDisk } from "@ganeti-ts/node-calls/conformance";
import { expect, test } from "vitest";
import {
  creation,
  makeMirror,
  type NodesUnderTest,
  nodesUnderTest,
} from "../test/nodes-under-test.js";
import { noDurations } from "./durations.js";

const freeOf = async ({ ask }: NodesUnderTest, node = "A") => {
  const storage = [{ type: "lvm-vg", key: "xenvg" }];
  return (await ask(node, "node_info", { storage, hypervisors: [] })).storage?.[0]?.free;
};

/** A mirror of the nodes A and B, whose copying has gone on for some time. */
async function mirrored(syncSpeed?: number, copiedMs = 0) {
  const durations = { ...noDurations, ...(syncSpeed !== undefined && { syncSpeed }) };
  const under = await nodesUnderTest({ durations });
  const disk = aDrbdDisk(1000);
  await makeMirror(under, disk);
  await under.clock.pass(copiedMs);
  const assembly = (asPrimary: boolean) => ({
    ...{ disk, instance: anInstance(), asPrimary, index: 0 },
  });
  const statusOn = (node: string) => under.ask(node, "blockdev_find", { disk });
  return { under, disk, children: disk.children ?? [], assembly, statusOn };
}

test("a volume takes space until it is removed, and repeated creation and removal have no further effect", async () => {
  const under = await nodesUnderTest();
  const disk = aPlainDisk();
  for (let time = 0; time < 2; time++) {
    await under.ask("A", "blockdev_create", creation(disk));
    expect(await freeOf(under)).toBe(8976);
  }
  for (let time = 0; time < 2; time++) {
    await under.ask("A", "blockdev_remove", { disk });
    expect(await freeOf(under)).toBe(10000);
  }
});

test("a volume that does not fit is refused with the figures", async () => {
  const { answer, nodes } = await nodesUnderTest();
  await nodes.fillDisk("A", "xenvg", 500);
  expect(await answer("A", "blockdev_create", creation(aPlainDisk()))).toEqual({
    ok: false,
    offline: false,
    message: "Can't create block device: Not enough free space: required 1024, available 500",
  });
});

test("a filled disk can be emptied again without loss of the cluster's data", async () => {
  const under = await nodesUnderTest();
  await under.ask("A", "blockdev_create", creation(aPlainDisk()));
  await under.nodes.fillDisk("A", "xenvg", 500);
  await under.nodes.fillDisk("A", "xenvg", 100);
  expect(await freeOf(under)).toBe(100);
  await under.nodes.emptyDisk("A", "xenvg");
  expect(await freeOf(under)).toBe(8976);
  expect(await under.ask("A", "blockdev_find", { disk: aPlainDisk() })).not.toBeNull();
});

test("a restored physical volume has its former contents", async () => {
  const under = await nodesUnderTest();
  await under.ask("A", "blockdev_create", creation(aPlainDisk()));
  const [device = ""] = Object.keys(
    under.nodes.stateOf("A")?.volumeGroups.xenvg?.physicalVolumes ?? {},
  );
  await under.nodes.breakPhysicalVolume("A", "xenvg", device);
  expect(await freeOf(under)).toBe(0);
  await under.nodes.mendPhysicalVolume("A", "xenvg", device);
  expect(await freeOf(under)).toBe(8976);
});

test("calls of a slowed node take proportionally longer", async () => {
  const under = await nodesUnderTest({ durations: { ...noDurations, callMs: 10 } });
  await under.nodes.slowDown("B", 10);
  const answered: string[] = [];
  for (const node of ["A", "B"]) {
    void under.answer(node, "version", {}).then(() => answered.push(node));
  }
  await under.clock.pass(50);
  expect(answered).toEqual(["A"]);
  await under.clock.pass(50);
  expect(answered).toEqual(["A", "B"]);
});

test("with exclusive storage a disk gets physical volumes of its own", async () => {
  const volumeGroups = { xenvg: { a: 1000, b: 1000, c: 1000 } };
  const { ask, answer } = await nodesUnderTest({
    hosts: [{ name: "A.example.com", volumeGroups }],
  });
  const disk = { ...aPlainDisk("one", 1500), spindles: 2 };
  await ask("A", "blockdev_create", { ...creation(disk), exclusiveStorage: true });
  const another = { ...aPlainDisk("two", 1500), spindles: 2 };
  expect(
    await answer("A", "blockdev_create", { ...creation(another), exclusiveStorage: true }),
  ).toMatchObject({ message: expect.stringContaining("1 available, 2 needed") });
  const storage = [{ type: "lvm-pv", key: "xenvg", exclusive: true }];
  const figures = await ask("A", "node_info", { storage, hypervisors: [] });
  expect(figures.storage).toEqual([{ type: "lvm-pv", name: "xenvg", size: 3, free: 1 }]);
});

test("a new mirror is copied to its secondary as time passes", async () => {
  const { under, disk } = await mirrored(100);
  const shownOn = async (node: string) => {
    const status = await under.ask(node, "blockdev_find", { disk });
    return [status?.syncPercent, status?.estimatedSeconds, status?.degraded, status?.localDisk];
  };
  expect(await shownOn("A")).toEqual([0, 10, false, "ok"]);
  await under.clock.pass(2500);
  expect(await shownOn("A")).toEqual([25, 8, false, "ok"]);
  expect(await shownOn("B")).toEqual([25, 8, true, "sync"]);
  await under.clock.pass(7500);
  expect(await shownOn("A")).toEqual([null, null, false, "ok"]);
  expect(await shownOn("B")).toEqual([null, null, false, "ok"]);
});

test("synchronisation stops while the sides are disconnected, and resumes where it stopped", async () => {
  const { under, disk, statusOn } = await mirrored(100);
  await under.clock.pass(5000);
  await under.ask("A", "drbd_disconnect_net", { disks: [disk] });
  await under.clock.pass(60_000);
  const apart = await statusOn("B");
  expect(apart).toMatchObject({ degraded: true, localDisk: "unknown", syncPercent: null });
  await under.ask("A", "drbd_attach_net", { disks: [disk], multimaster: false });
  await under.clock.pass(1000);
  expect(await under.ask("A", "drbd_wait_sync", { disks: [disk] })).toEqual({
    done: false,
    syncPercent: 60,
  });
  await under.nodes.slowDown("B", 10);
  await under.clock.pass(10_000);
  expect(await under.ask("A", "drbd_wait_sync", { disks: [disk] })).toMatchObject({
    syncPercent: 70,
  });
  await under.clock.pass(30_000);
  expect(await under.ask("A", "drbd_wait_sync", { disks: [disk] })).toEqual({
    done: true,
    syncPercent: 100,
  });
});

test("a side without good data becomes primary only while it is connected to its peer", async () => {
  const { under, disk, assembly } = await mirrored(100);
  const open = { disks: [disk], owner: "web.example.com", exclusive: true };
  expect(await under.answer("B", "blockdev_open", open)).toMatchObject({
    message: expect.stringContaining("Multiple primaries not allowed"),
  });
  await under.nodes.powerOff("A");
  expect(await under.answer("B", "blockdev_open", open)).toMatchObject({
    message: expect.stringContaining("Need access to UpToDate data"),
  });
  await under.nodes.powerOn("A");
  await under.ask("A", "blockdev_assemble", assembly(false));
  await under.clock.pass(10_000);
  await under.ask("B", "blockdev_open", open);
});

test("good data stay good when the side in use was alone before its new storage was complete", async () => {
  const { under, disk, children } = await mirrored(100, 10_000);
  const own = { disk, children };
  await under.ask("A", "blockdev_removechildren", own);
  await under.ask("A", "blockdev_addchildren", own);
  await under.clock.pass(1000);
  await under.ask("B", "drbd_disconnect_net", { disks: [disk] });
  await under.clock.pass(60_000);
  await under.ask("B", "drbd_attach_net", { disks: [disk], multimaster: false });
  const shownOn = async (node: string) =>
    (await under.ask(node, "blockdev_find", { disk }))?.localDisk;
  expect([await shownOn("A"), await shownOn("B")]).toEqual(["sync", "ok"]);
  await under.clock.pass(10_000);
  expect([await shownOn("A"), await shownOn("B")]).toEqual(["ok", "ok"]);
});

test("a new node replaces the secondary", async () => {
  const { under, disk, children } = await mirrored();
  const moved = { ...disk, logical_id: ["A", "C", 11000, 0, 0, "secret"] };
  for (const child of children) {
    await under.ask("C", "blockdev_create", creation(child, false));
  }
  await under.ask("C", "blockdev_create", creation(moved, false));
  await under.ask("B", "blockdev_shutdown", { disk });
  await under.ask("A", "drbd_disconnect_net", { disks: [disk] });
  for (const node of ["A", "C"]) {
    await under.ask(node, "drbd_attach_net", { disks: [moved], multimaster: false });
  }
  await under.ask("B", "blockdev_remove", { disk });
  expect(await under.ask("C", "blockdev_find", { disk: moved })).toMatchObject({
    degraded: false,
    localDisk: "ok",
  });
  expect(await freeOf(under, "B")).toBe(10000);
});

test("a mirror that returns to a node under another minor is connected there", async () => {
  const { under, disk, assembly, children } = await mirrored();
  // A secondary is given up without its mirror: metadata are gone with the volumes.
  await under.ask("B", "blockdev_shutdown", { disk });
  for (const child of children) {
    await under.ask("B", "blockdev_remove", { disk: child });
    await under.ask("B", "blockdev_create", creation(child, false));
  }
  const back = { ...disk, logical_id: disk.logical_id.with(4, 7) };
  await under.ask("B", "blockdev_create", creation(back, false));
  for (const node of ["B", "A"]) {
    await under.ask(node, "blockdev_assemble", { ...assembly(node === "A"), disk: back });
  }
  expect(await under.ask("A", "blockdev_find", { disk: back })).toMatchObject({ degraded: false });
});

test("a mirror without its volumes gets them back when it is assembled, and synchronises", async () => {
  const { under, disk, assembly, children, statusOn } = await mirrored(100, 10_000);
  await under.ask("A", "blockdev_removechildren", { disk, children });
  const statusOf = async () => (await statusOn("A"))?.localDisk;
  expect(await statusOf()).toBe("faulty");
  await under.ask("A", "blockdev_assemble", assembly(true));
  expect(await statusOf()).toBe("sync");
  await under.clock.pass(10_000);
  expect(await statusOf()).toBe("ok");
});

test("storage of a mirror is replaced in place", async () => {
  const { under, disk, children, statusOn } = await mirrored(100, 10_000);
  await under.nodes.breakPhysicalVolume("A", "xenvg", "/dev/sda");
  expect(await statusOn("A")).toMatchObject({ localDisk: "faulty" });
  await under.ask("A", "blockdev_removechildren", { disk, children });
  const repair = { type: "lvm-vg", directories: [], name: "xenvg" };
  await under.ask("A", "storage_execute", { ...repair, operation: "fix-consistency" });
  expect(await under.ask("A", "lv_list", { volumeGroups: [] })).toEqual([]);
});

test("a mirror whose volumes were removed uses its peer's data until it has new volumes", async () => {
  const { under, disk, assembly, children, statusOn } = await mirrored(100, 10_000);
  await under.ask("A", "blockdev_remove", { disk });
  for (const node of ["A", "B"]) {
    await under.ask(node, "blockdev_assemble", assembly(false));
  }
  await under.ask("A", "blockdev_assemble", assembly(true));
  expect(await statusOn("A")).toMatchObject({ degraded: true, localDisk: "faulty" });
  expect(await statusOn("B")).toMatchObject({ degraded: false, localDisk: "ok" });
  for (const child of children) await under.ask("A", "blockdev_create", creation(child));
  await under.ask("A", "blockdev_addchildren", { disk, children });
  expect(await statusOn("A")).toMatchObject({ localDisk: "sync" });
  await under.clock.pass(10_000);
  expect(await statusOn("A")).toMatchObject({ degraded: false, localDisk: "ok" });
});

test("a mirror without volumes does not become primary without its peer", async () => {
  const { under, disk, assembly } = await mirrored();
  await under.ask("A", "blockdev_remove", { disk });
  await under.nodes.powerOff("B");
  expect(await under.answer("A", "blockdev_assemble", assembly(true))).toMatchObject({
    message: expect.stringContaining("Need access to UpToDate data"),
  });
});

test("a mirror that lost its volumes is made again like a new one once it is down", async () => {
  const { under, disk, assembly, children, statusOn } = await mirrored();
  await under.ask("B", "blockdev_remove", { disk });
  await under.ask("B", "blockdev_assemble", assembly(false));
  for (const child of children) await under.ask("B", "blockdev_create", creation(child, false));
  expect(await under.answer("B", "blockdev_create", creation(disk, false))).toMatchObject({
    message: "Can't create block device: drbd0: minor is already in use at Create() time",
  });
  await under.ask("B", "blockdev_shutdown", { disk });
  await under.ask("B", "blockdev_create", creation(disk, false));
  expect(await statusOn("B")).toMatchObject({ localDisk: "ok" });
});

test("new volumes without metadata are no storage of a mirror", async () => {
  const under = await nodesUnderTest();
  const disk = aDrbdDisk(1000);
  for (const child of disk.children ?? []) {
    await under.ask("A", "blockdev_create", creation(child));
  }
  const assembly = { disk, instance: anInstance(), index: 0, asPrimary: false };
  expect(await under.answer("A", "blockdev_assemble", assembly)).toMatchObject({
    message: "Error while assembling disk: drbd0: can't attach local disk: no valid metadata",
  });
});

test("a disk in a file needs its directory and free space", async () => {
  const { ask, answer } = await nodesUnderTest();
  const path = "/srv/ganeti/file-storage/web/disk0";
  const disk = { uuid: "f", dev_type: "file" as const, logical_id: ["loop", path], size: 4000 };
  expect(await answer("A", "blockdev_create", creation(disk))).toMatchObject({
    message: expect.stringContaining("No such file or directory"),
  });
  const directory = "/srv/ganeti/file-storage/web";
  await ask("A", "file_storage_dir_create", { directory });
  await ask("A", "blockdev_create", creation(disk));
  const grow = { disk, amountMib: 2000, backingStore: true, exclusiveStorage: false };
  expect(await answer("A", "blockdev_grow", { ...grow, dryRun: true })).toMatchObject({
    message: expect.stringContaining("No space left on device"),
  });
  await ask("A", "blockdev_grow", { ...grow, amountMib: 500, dryRun: false });
  expect(await ask("A", "blockdev_getdimensions", { disks: [disk] })).toEqual([
    { sizeMib: 4500, spindles: null },
  ]);
  expect(await answer("A", "file_storage_dir_remove", { directory })).toMatchObject({ ok: false });
  await ask("A", "blockdev_remove", { disk });
  await ask("A", "file_storage_dir_remove", { directory });
});

test.each(["/etc/x", "/srv/../etc/x", "//usr/./lib/x", "/dev", "srv/x", "/srv/a\0b"])(
  "the directory %j for disks in files is refused, as by a node",
  async (directory) => {
    const { answer } = await nodesUnderTest();
    const to = "/srv/ganeti/file-storage/new";
    const disk = (dev_type: "file" | "sharedfile") => ({
      ...{ uuid: "f", dev_type, logical_id: ["loop", `${directory}/disk0`], size: 40 },
    });
    const answers = await Promise.all([
      answer("A", "file_storage_dir_create", { directory }),
      answer("A", "file_storage_dir_remove", { directory }),
      answer("A", "file_storage_dir_rename", { from: directory, to }),
      answer("A", "file_storage_dir_rename", { from: to, to: directory }),
      ...(["file", "sharedfile"] as const).flatMap((type) => [
        answer("A", "blockdev_create", creation(disk(type))),
        answer("A", "blockdev_remove", { disk: disk(type) }),
        answer("A", "blockdev_find", { disk: disk(type) }),
      ]),
    ]);
    for (const one of answers) {
      expect(one).toMatchObject({
        ...{ ok: false, message: expect.stringContaining("uses a forbidden prefix") },
      });
    }
    const fileStorageDirs = { file: directory };
    expect(await answer("A", "node_verify", { clusterName: "c", fileStorageDirs })).toMatchObject({
      value: { fileStorageFaults: { file: expect.stringContaining("forbidden prefix") } },
    });
  },
);

test("disks on shared storage are the same on every node", async () => {
  const { ask } = await nodesUnderTest();
  const disk = { uuid: "r", dev_type: "rbd" as const, logical_id: ["rbd", "image"], size: 100 };
  await ask("A", "blockdev_create", creation(disk));
  const assembly = { disk, instance: anInstance(), asPrimary: true, index: 2 };
  expect(await ask("C", "blockdev_assemble", assembly)).toEqual({
    path: "/dev/rbd/rbd/image",
    link: "/var/run/ganeti/instance-disks/web.example.com:2",
    uri: null,
  });
  await ask("B", "blockdev_remove", { disk });
  expect(await ask("A", "blockdev_find", { disk })).toBeNull();
});

test("a rename that was interrupted may be repeated", async () => {
  const { ask } = await nodesUnderTest();
  const disk = aPlainDisk();
  await ask("A", "blockdev_create", creation(disk));
  const renames = [{ disk, logicalId: ["xenvg", "data_replaced"] }];
  await ask("A", "blockdev_rename", { renames });
  await ask("A", "blockdev_rename", { renames });
  expect((await ask("A", "lv_list", { volumeGroups: ["xenvg"] })).map(({ name }) => name)).toEqual([
    "data_replaced",
  ]);
});

test("a snapshot is a volume of its own", async () => {
  const under = await nodesUnderTest();
  const disk = aPlainDisk();
  await under.ask("A", "blockdev_create", creation(disk));
  const name = "data.snap-1";
  expect(await under.ask("A", "blockdev_snapshot", { disk, name, sizeMib: null })).toEqual([
    "xenvg",
    name,
  ]);
  expect(await freeOf(under)).toBe(10000 - 2 * 1024);
});
