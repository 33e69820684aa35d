/** Disks of type plain: logical volumes. */
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import type { NodeContext } from "../../context.js";
import { NodeFailure } from "../../failure.js";
import { type Device, type DiskType, healthy } from "../disk-type.js";
import { deviceBytes, linesOf, ran, reasonAndOutput, runOrFail } from "../programs.js";
import { createVolume, growVolume, listedSizeMib } from "./create-volume.js";
import { notEnough } from "./exclusive-storage.js";
import { groupSpace } from "./space.js";
import { type VolumeName, volumeOf } from "./volume-name.js";
import type { Volume, VolumeTable } from "./volume-table.js";

type Ports = Pick<NodeContext, "run" | "log">;

/** Volumes have no state other than their existence: they stay active until they are removed. */
export function plainDisks(ports: Ports, table: VolumeTable): DiskType {
  return {
    isAssembledOnSecondary: true,
    isOpenedOnSecondary: true,
    parameters: ["stripes"],
    ...volumeLife(ports, table),
    ...volumeChanges(ports, table),
  };
}

/** Runs a change of volumes and invalidates the table. */
const changing = <T>(table: VolumeTable, change: () => Promise<T>): Promise<T> =>
  change().finally(table.forget);

async function existing(table: VolumeTable, disk: Pick<DiskOnNode, "logical_id">) {
  const of = volumeOf(disk);
  const volume = await table.volume(of.path);
  if (volume === null) throw new NodeFailure(`Can't find LV ${of.path}`);
  return { of, volume };
}

type Life = "find" | "create" | "assemble" | "open" | "close" | "shutdown" | "remove";

const volumeLife = (ports: Ports, table: VolumeTable): Pick<DiskType, Life> => ({
  async find(disk) {
    const { path } = volumeOf(disk);
    const volume = await table.volume(path);
    return volume === null ? null : deviceOf(path, volume);
  },
  async create(disk, creation) {
    const of = volumeOf(disk);
    const volume = await table.volume(of.path);
    if (volume !== null) return checkSize(ports, of, volume, creation.sizeMib);
    const wanted = { ...creation, stripes: stripesOf(disk), spindles: disk.spindles };
    await changing(table, () => createVolume(ports, of, wanted));
  },
  async assemble(disk) {
    const { path } = volumeOf(disk);
    await changing(table, () =>
      runOrFail(ports.run, ["lvchange", "-ay", path], `Can't activate lv ${path}: `),
    );
    return { path, major: null, minor: null, uri: null };
  },
  open: async () => {},
  close: async () => {},
  shutdown: async () => {},
  async remove(disk) {
    const { group, name, path } = volumeOf(disk);
    if ((await table.volume(path)) === null) return;
    await changing(table, () =>
      runOrFail(
        ports.run,
        ["lvremove", "-f", `${group}/${name}`],
        "Can't lvremove: ",
        reasonAndOutput,
      ),
    );
  },
});

const volumeChanges = (
  ports: Ports,
  table: VolumeTable,
): Pick<DiskType, "grow" | "rename" | "setInfo" | "size" | "status" | "snapshot"> => ({
  async grow(disk, growth) {
    if (!growth.backingStore) return;
    const { of, volume } = await existing(table, disk);
    await changing(table, () => growVolume(ports, of, volume, { ...growth, sizeMib: disk.size }));
  },
  async rename(disk, logicalId) {
    const [from, to] = [volumeOf(disk), volumeOf({ logical_id: logicalId })];
    if (from.group !== to.group) {
      throw new NodeFailure(
        // Ganeti's text [sic], with its doubled "to".
        `Can't move a logical volume across volume groups (from ${from.group} to to ${to.group})`,
      );
    }
    const isRenamed =
      (await table.volume(from.path)) === null && (await table.volume(to.path)) !== null;
    if (isRenamed) return;
    await changing(table, () =>
      runOrFail(
        ports.run,
        ["lvrename", from.group, from.name, to.name],
        "Failed to rename the logical volume: ",
      ),
    );
  },
  setInfo: (disk, info) => setTag(ports, volumeOf(disk), info),
  async size(disk) {
    const { path } = volumeOf(disk);
    const volume = await table.volume(path);
    if (volume === null) return null;
    return { bytes: await deviceBytes(ports.run, path), spindles: volume.physicalVolumes.length };
  },
  async status(disk) {
    const { volume } = await existing(table, disk);
    return isLost(volume) ? { ...healthy, degraded: true, localDisk: "faulty" } : healthy;
  },
  async snapshot(disk, { name, sizeMib }) {
    const { of } = await existing(table, disk);
    const snapshot = name ?? `${of.name}.snap`;
    await changing(table, () => takeSnapshot(ports, table, of, snapshot, sizeMib ?? disk.size));
    return [of.group, snapshot];
  },
});

/** Whether the storage of a volume is gone: LVM shows it as virtual, or as partial if some of its devices are missing. */
export const isLost = ({ attributes }: Volume): boolean =>
  attributes.startsWith("v") || attributes[8] === "p";

const deviceOf = (path: string, { major, minor }: Volume): Device => ({
  path,
  major,
  minor,
  uri: null,
});

function stripesOf({ params }: DiskOnNode): number {
  const stripes = Number(params?.stripes);
  if (!Number.isInteger(stripes) || stripes < 1) {
    throw new NodeFailure(`Invalid number of stripes '${params?.stripes}'`);
  }
  return stripes;
}

/** Accepts an existing volume if it has the wanted size, rounded up to whole extents of all its stripes. */
async function checkSize(
  ports: Ports,
  of: VolumeName,
  { extentKib, stripes }: Volume,
  wantedMib: number,
): Promise<void> {
  const found = await listedSizeMib(ports, of);
  const stepMib = (extentKib * stripes) / 1024;
  if (found >= wantedMib && found < wantedMib + stepMib) return;
  throw new NodeFailure(
    `Logical volume ${of.path} exists with ${found} MiB instead of ${wantedMib} MiB`,
  );
}

/** Takes a snapshot; replaces an existing one of the same name. */
async function takeSnapshot(
  ports: Ports,
  table: VolumeTable,
  origin: VolumeName,
  name: string,
  sizeMib: number,
): Promise<void> {
  const { run, log } = ports;
  const of = volumeOf({ logical_id: [origin.group, name] });
  if ((await table.volume(of.path)) !== null) {
    const removed = await ran(run, ["lvremove", "-f", `${of.group}/${of.name}`]);
    if (removed.code !== 0) log.warn(`Can't lvremove: ${reasonAndOutput(removed)}`);
  }
  const space = await groupSpace(ports, origin.group);
  if (space === null) throw new NodeFailure(`Can't compute VG info for vg ${origin.group}`);
  if (space.freeMib < sizeMib) throw notEnough(sizeMib, space.freeMib);
  const words = ["lvcreate", `-L${sizeMib}m`, "-s", `-n${name}`, origin.path] as const;
  await runOrFail(run, [...words], `Command: ${words.join(" ")} error: `, reasonAndOutput);
}

const tagLength = 128;

/** The text shortened and with `_` in place of characters that LVM does not accept in a tag. */
export const tagText = (info: string): string =>
  info
    .replace(/^[^A-Za-z0-9_+.]/, "_")
    .replaceAll(/[^-A-Za-z0-9_+.]/g, "_")
    .slice(0, tagLength);

/** Makes `info` the only tag. */
async function setTag({ run }: Ports, { path }: VolumeName, info: string): Promise<void> {
  const change = (words: readonly [string, ...string[]]) =>
    runOrFail(run, words, `Command: ${words.join(" ")} error: `, reasonAndOutput);
  const { stdout } = await change(["lvs", "-o", "tags", "--noheadings", "--nosuffix", path]);
  const tags = linesOf(stdout)
    .flatMap((line) => line.split(","))
    .filter((tag) => tag !== "");
  for (const tag of tags) await change(["lvchange", "--deltag", tag, path]);
  await change(["lvchange", "--addtag", tagText(info), path]);
}
