// Contents of disks: each way to copy a disk carries them along.
import { aDrbdDisk, anInstance, aPlainDisk } from "@ganeti-ts/node-calls/conformance";
import { expect, test } from "vitest";
import {
  creation,
  makeMirror,
  type NodesUnderTest,
  nodesUnderTest,
} from "../test/nodes-under-test.js";
import { noDurations } from "./durations.js";

const disk = aPlainDisk();

/** Image on the volume of a node. */
const imageOn = ({ nodes }: NodesUnderTest, node: string, name: unknown) =>
  nodes.stateOf(node)?.volumeGroups.xenvg?.volumes[String(name)]?.image;

const install = ({ ask }: NodesUnderTest, node: string, on: typeof disk) =>
  ask(node, "instance_os_add", {
    instance: { ...anInstance(), disks: [on] },
    reinstall: false,
    debugLevel: 0,
  });

async function installed(): Promise<NodesUnderTest> {
  const under = await nodesUnderTest();
  await under.ask("A", "blockdev_create", creation(disk));
  await install(under, "A", disk);
  return under;
}

const system = `system of ${anInstance().uuid}`;

test("a renamed volume and a snapshot contain what the volume did", async () => {
  const under = await installed();
  await under.ask("A", "blockdev_snapshot", { disk, name: "snapshot", sizeMib: null });
  const renames = [{ disk, logicalId: ["xenvg", "other"] }];
  await under.ask("A", "blockdev_rename", { renames });
  expect([imageOn(under, "A", "snapshot"), imageOn(under, "A", "other")]).toEqual([system, system]);
});

test("a converted disk contains what its source did", async () => {
  const under = await installed();
  const target = { ...disk, logical_id: ["xenvg", "target"] };
  await under.ask("A", "blockdev_create", creation(target));
  await under.ask("A", "blockdev_convert", { source: disk, target });
  expect(imageOn(under, "A", "target")).toBe(system);
});

test("a system that is installed again does not change which data a disk has", async () => {
  const under = await installed();
  const [group] = [under.nodes.stateOf("A")?.volumeGroups.xenvg];
  const before = group?.volumes[String(disk.logical_id[1])];
  await install(under, "A", disk);
  expect(group?.volumes[String(disk.logical_id[1])]).toBe(before);
});

test("a disk that is moved arrives once the transfer has ended", async () => {
  const under = await nodesUnderTest({ durations: { ...noDurations, copySpeed: 512 } });
  for (const node of ["A", "B"]) await under.ask(node, "blockdev_create", creation(disk));
  await install(under, "A", disk);
  const options = {
    ...{ compress: "none", magic: "m", keyName: null, caPem: null, ipv6: false },
    connectTimeoutSeconds: 60,
  };
  const common = {
    ...{ instance: anInstance(), component: "disk0", options },
    end: { kind: "raw-disk", disk } as const,
  };
  const name = await under.ask("B", "import_start", common);
  const statusOf = async () => (await under.ask("B", "impexp_status", { names: [name] }))[0];
  const port = (await statusOf())?.listenPort ?? 0;
  await under.ask("A", "export_start", { ...common, host: "192.0.2.2", port });
  await under.clock.pass(1000);
  expect(await statusOf()).toMatchObject({ exitStatus: null });
  expect(imageOn(under, "B", disk.logical_id[1])).toBeUndefined();
  await under.clock.pass(1000);
  expect(await statusOf()).toMatchObject({ exitStatus: 0 });
  expect(imageOn(under, "B", disk.logical_id[1])).toBe(system);
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
