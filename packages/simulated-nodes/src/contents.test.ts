// Contents of disks: each way to copy a disk carries them along.
import type { DiskOnNode, TransferEnd } from "@ganeti-ts/node-calls";
import { aDrbdDisk, anInstance, aPlainDisk } from "@ganeti-ts/node-calls/conformance";
import { expect, test } from "vitest";
import {
  creation,
  makeMirror,
  type NodesUnderTest,
  nodesUnderTest,
} from "../test/nodes-under-test.js";
import { noDurations } from "./durations.js";
import { nodeStatesInMemory } from "./node-states.js";

const disk = aPlainDisk();

const aDisk = (dev_type: DiskOnNode["dev_type"], ...logical_id: string[]): DiskOnNode => ({
  ...disk,
  dev_type,
  logical_id,
});
const file = aDisk("file", "loop", "/srv/files/web/disk0");
const sharedFile = aDisk("sharedfile", "loop", "/srv/shared/web/disk0");
const ext = aDisk("ext", "pvdr1", "data");
const device = aDisk("blockdev", "manual", "/dev/disk/by-id/one");
const madeDisks = [disk, file, sharedFile, ext, aDisk("rbd", "rbd", "data")];

/** Nodes with the directories and devices of these disks. */
async function prepared(options: Parameters<typeof nodesUnderTest>[0] = {}) {
  const hosts = ["A", "B", "C"].map((name) => ({
    name: `${name}.example.com`,
    volumeGroups: { xenvg: { "/dev/sda": 10_000 } },
    devices: { [String(device.logical_id[1])]: 1024 },
  }));
  const under = await nodesUnderTest({ hosts, ...options });
  for (const node of ["A", "B"]) {
    await under.ask(node, "file_storage_dir_create", { directory: "/srv/files/web" });
  }
  await under.ask("A", "file_storage_dir_create", { directory: "/srv/shared/web" });
  return under;
}

/** Image on the volume of a node. */
const imageOn = ({ nodes }: NodesUnderTest, node: string, name: unknown) =>
  nodes.stateOf(node)?.volumeGroups.xenvg?.volumes[String(name)]?.image;

/** Content of a disk as the node has it. */
function contentOn(
  under: NodesUnderTest,
  node: string,
  { dev_type: type, logical_id }: DiskOnNode,
): string | undefined {
  const { nodes } = under;
  const [, name] = logical_id.map(String) as [string, string];
  if (type === "plain") return imageOn(under, node, name);
  if (type === "file") return nodes.stateOf(node)?.fileSystem.disks[name]?.image;
  if (type === "blockdev") return nodes.sharedState.devices?.[name];
  return nodes.sharedState.disks[`${type} ${logical_id.join(" ")}`]?.image;
}

const install = ({ ask }: NodesUnderTest, node: string, on: DiskOnNode) =>
  ask(node, "instance_os_add", {
    instance: { ...anInstance(), disks: [on] },
    reinstall: false,
    debugLevel: 0,
  });

async function installed(on = disk, under?: NodesUnderTest): Promise<NodesUnderTest> {
  const nodes = under ?? (await prepared());
  await nodes.ask("A", "blockdev_create", creation(on));
  await install(nodes, "A", on);
  return nodes;
}

const system = `system of ${anInstance().uuid}`;

type NodeAndEnd = readonly [node: string, end: TransferEnd];

/** Begins a transfer between two nodes; the function gives its exit status at the receiver. */
async function begun(
  under: NodesUnderTest,
  [from, source]: NodeAndEnd,
  [to, target]: NodeAndEnd,
): Promise<() => Promise<number | null | undefined>> {
  const options = {
    ...{ compress: "none", magic: "m", keyName: null, caPem: null, ipv6: false },
    connectTimeoutSeconds: 60,
  };
  const common = { instance: anInstance(), component: "disk0", options };
  const into = await under.ask(to, "import_start", { ...common, end: target });
  const statusOf = async () => (await under.ask(to, "impexp_status", { names: [into] }))[0];
  const port = (await statusOf())?.listenPort ?? 0;
  const host = `192.0.2.${to.charCodeAt(0) - 64}`;
  await under.ask(from, "export_start", { ...common, end: source, host, port });
  return async () => (await statusOf())?.exitStatus;
}

async function transfer(under: NodesUnderTest, from: NodeAndEnd, to: NodeAndEnd): Promise<void> {
  expect(await (await begun(under, from, to))()).toBe(0);
}

const raw = (on: DiskOnNode): TransferEnd => ({ kind: "raw-disk", disk: on });
const dump = (folder: string): TransferEnd => ({ kind: "file", path: `${folder}/${disk.uuid}` });

test.each(madeDisks)("a disk of type $dev_type has its system until it is removed", async (on) => {
  const under = await installed(on);
  await under.ask("A", "blockdev_grow", {
    ...{ disk: on, amountMib: 512, dryRun: false, backingStore: true, exclusiveStorage: false },
  });
  expect(contentOn(under, "A", on)).toBe(system);
  await under.ask("A", "blockdev_remove", { disk: on });
  await under.ask("A", "blockdev_create", creation(on));
  expect(contentOn(under, "A", on)).toBeUndefined();
});

test("an adopted device keeps its content when its disk is removed", async () => {
  const under = await installed(device);
  await under.ask("A", "blockdev_remove", { disk: device });
  await under.ask("B", "blockdev_create", creation(device));
  expect(contentOn(under, "B", device)).toBe(system);
});

test.each([
  { type: "file", on: file, directory: "/srv/files/web" },
  { type: "sharedfile", on: sharedFile, directory: "/srv/shared/web" },
] as const)("a disk of type $type goes along with its directory, and out of it", async (one) => {
  const under = await installed(one.on);
  const to = `${one.directory}2`;
  // Another node has no directory of its own for shared files.
  const node = one.type === "file" ? "A" : "B";
  await under.ask(node, "file_storage_dir_rename", { from: one.directory, to });
  const renamed = aDisk(one.type, "loop", `${to}/disk0`);
  expect(contentOn(under, "A", renamed)).toBe(system);
  const logicalId = ["loop", "/srv/detached"];
  await under.ask("A", "blockdev_rename", { renames: [{ disk: renamed, logicalId }] });
  expect(contentOn(under, "A", aDisk(one.type, ...logicalId))).toBe(system);
  expect(contentOn(under, "A", renamed)).toBeUndefined();
  await under.ask("A", "file_storage_dir_remove", { directory: to });
});

test.each([disk, ext])("a snapshot of type $dev_type replaces the earlier one", async (on) => {
  const under = await prepared();
  await under.ask("A", "blockdev_create", creation(on));
  const snapshot = async () => {
    const args = { disk: on, name: null, sizeMib: null };
    const id = await under.ask("A", "blockdev_snapshot", args);
    return contentOn(under, "A", { ...on, logical_id: id });
  };
  expect(await snapshot()).toBeUndefined();
  await install(under, "A", on);
  expect(await snapshot()).toBe(system);
});

test("a renamed volume contains what the volume did", async () => {
  const under = await installed();
  const renames = [{ disk, logicalId: ["xenvg", "other"] }];
  await under.ask("A", "blockdev_rename", { renames });
  expect(imageOn(under, "A", "other")).toBe(system);
});

test.each(madeDisks)("conversions to and from type $dev_type carry the content", async (on) => {
  const under = await installed(on);
  const target = { ...disk, logical_id: ["xenvg", "target"] };
  await under.ask("A", "blockdev_create", creation(target));
  await under.ask("A", "blockdev_convert", { source: on, target });
  expect(imageOn(under, "A", "target")).toBe(system);
  await under.ask("A", "blockdev_remove", { disk: on });
  await under.ask("A", "blockdev_create", creation(on));
  await under.ask("A", "blockdev_convert", { source: target, target: on });
  expect(contentOn(under, "A", on)).toBe(system);
});

test.each([...madeDisks, device])("a wiped disk of type $dev_type is empty", async (on) => {
  const under = await installed(on);
  await under.ask("A", "blockdev_wipe", { disk: on, offsetMib: 512, sizeMib: 512 });
  expect(contentOn(under, "A", on)).toBe(system);
  await under.ask("A", "blockdev_wipe", { disk: on, offsetMib: 0, sizeMib: 512 });
  expect(contentOn(under, "A", on)).toBeUndefined();
});

test("a system that is installed again does not change which data a disk has", async () => {
  const under = await installed();
  const [group] = [under.nodes.stateOf("A")?.volumeGroups.xenvg];
  const before = group?.volumes[String(disk.logical_id[1])];
  await install(under, "A", disk);
  expect(group?.volumes[String(disk.logical_id[1])]).toBe(before);
});

test.each([disk, file])("a moved disk of type $dev_type is copied", async (on) => {
  const under = await installed(on);
  await under.ask("B", "blockdev_create", creation(on));
  await transfer(under, ["A", raw(on)], ["B", raw(on)]);
  expect(["A", "B"].map((node) => contentOn(under, node, on))).toEqual([system, system]);
});

test("a disk that is moved arrives once the transfer has ended", async () => {
  const under = await prepared({ durations: { ...noDurations, copySpeed: 512 } });
  await under.ask("B", "blockdev_create", creation(disk));
  await installed(disk, under);
  const exitStatus = await begun(under, ["A", raw(disk)], ["B", raw(disk)]);
  await under.clock.pass(1000);
  expect(await exitStatus()).toBeNull();
  expect(imageOn(under, "B", disk.logical_id[1])).toBeUndefined();
  await under.clock.pass(1000);
  expect(await exitStatus()).toBe(0);
  expect(imageOn(under, "B", disk.logical_id[1])).toBe(system);
});

const exportOn = ({ nodes }: NodesUnderTest, node: string) =>
  nodes.stateOf(node)?.exports["web.example.com"];

test("an export contains its disks until it is replaced or removed, and an import reads them", async () => {
  const under = await installed();
  const write = async (from: DiskOnNode) => {
    await transfer(under, ["A", raw(from)], ["B", dump("web.example.com.new")]);
    await under.ask("B", "finalize_export", { instance: anInstance(), disks: [from] });
  };
  const read = async (on: DiskOnNode) => {
    await under.ask("C", "blockdev_create", creation(on));
    await transfer(under, ["B", dump("web.example.com")], ["C", raw(on)]);
    return contentOn(under, "C", on);
  };
  await write(disk);
  expect(await read(disk)).toBe(system);
  expect(exportOn(under, "B")?.images).toEqual({ [disk.uuid]: system });
  const empty = { ...disk, logical_id: ["xenvg", "empty"] };
  await under.ask("A", "blockdev_create", creation(empty));
  await write(empty);
  expect(await read(empty)).toBeUndefined();
  await write(disk);
  await under.ask("B", "export_remove", { name: "web.example.com" });
  expect(exportOn(under, "B")).toBeUndefined();
});

test("a file that is being written again has no content until it has arrived", async () => {
  const under = await prepared({ durations: { ...noDurations, copySpeed: 1024 } });
  await installed(disk, under);
  const image = () =>
    under.nodes.stateOf("B")?.imagesUnderWay?.["web.example.com"]?.[String(disk.uuid)];
  const images: unknown[] = [];
  for (let time = 0; time < 2; time++) {
    const exitStatus = await begun(under, ["A", raw(disk)], ["B", dump("web.example.com.new")]);
    images.push(image());
    await under.clock.pass(1000);
    expect(await exitStatus()).toBe(0);
    images.push(image());
  }
  expect(images).toEqual([undefined, system, undefined, system]);
});

test("what has arrived by a transfer is saved", async () => {
  const states = nodeStatesInMemory();
  const under = await installed(disk, await prepared({ states }));
  await transfer(under, ["A", raw(disk)], ["B", dump("web.example.com.new")]);
  const { nodes } = await nodesUnderTest({ states });
  const images = { "web.example.com": { [disk.uuid]: system } };
  expect(nodes.stateOf("B")?.imagesUnderWay).toEqual(images);
});

test("both sides of a mirror contain what is written to one, at once or by synchronisation", async () => {
  const under = await nodesUnderTest({ durations: { ...noDurations, syncSpeed: 100 } });
  const mirror = aDrbdDisk(1000);
  const data = mirror.children?.[0]?.logical_id[1];
  await makeMirror(under, mirror);
  await install(under, "A", mirror);
  expect(["A", "B"].map((node) => imageOn(under, node, data))).toEqual([system, system]);
  // New volumes on B are empty until they are synchronised.
  await under.clock.pass(10_000);
  const children = mirror.children ?? [];
  await under.ask("B", "blockdev_removechildren", { disk: mirror, children });
  for (const child of children) await under.ask("B", "blockdev_remove", { disk: child });
  for (const child of children) await under.ask("B", "blockdev_create", creation(child, false));
  expect(imageOn(under, "B", data)).toBeUndefined();
  await under.ask("B", "blockdev_addchildren", { disk: mirror, children });
  await under.clock.pass(10_000);
  expect(await under.ask("B", "blockdev_find", { disk: mirror })).toMatchObject({
    localDisk: "ok",
  });
  expect(imageOn(under, "B", data)).toBe(system);
});
