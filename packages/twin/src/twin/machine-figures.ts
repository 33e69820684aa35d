/** giveFigures: sizes and other users of a simulated machine, so that it reports given figures. */
import type { ClusterObject } from "@ganeti-ts/protocol";
import { type HostState, setVolume, type VolumeGroupState } from "@ganeti-ts/simulated-nodes";
import type { MachineFigures } from "./origin.js";

/** Free space (MiB) of machines and storages whose size is unknown. */
const unknownMemoryMib = 32_768;
const unknownDiskMib = 512_000;

export interface FiguresOfMachine {
  readonly said: MachineFigures | "silent" | undefined;
  readonly isExclusive: boolean;
}

/** To be called when the machine has its volumes and instances. Use that these do not explain is attributed to other programs. */
export function giveFigures(
  host: HostState,
  cluster: ClusterObject,
  { said, isExclusive }: FiguresOfMachine,
): void {
  host.powered = said !== "silent";
  const known = said === "silent" ? undefined : said;
  giveMemory(host, known);
  const { volume_group_name: usual } = cluster;
  if (usual !== undefined) {
    host.volumeGroups[usual] ??= { physicalVolumes: {}, volumes: {} };
  }
  for (const [name, group] of Object.entries(host.volumeGroups)) {
    const space = spaceOf(name === usual ? known : undefined, volumesMib(group));
    if (isExclusive && known?.spindleTotal !== undefined) {
      givePhysicalVolumes(group, space, {
        total: known.spindleTotal,
        free: known.spindleFree ?? 0,
      });
    } else giveOnePhysicalVolume(group, space);
  }
  const files = Object.values(host.fileSystem.disks);
  const usedMib = files.reduce((sum, { sizeMib }) => sum + sizeMib, 0);
  const space = spaceOf(known, usedMib);
  host.fileSystem.sizeMib = space.totalMib;
  host.fileSystem.usedMib = space.totalMib - space.freeMib - usedMib;
}

function giveMemory(host: HostState, known: MachineFigures | undefined): void {
  const instances = Object.values(host.instances);
  const usedMib = instances.reduce((sum, { memoryMib }) => sum + memoryMib, 0);
  if (known === undefined) {
    host.memoryTotalMib = host.memoryNodeMib + usedMib + unknownMemoryMib;
    return;
  }
  host.memoryTotalMib = known.memoryTotalMib;
  host.memoryNodeMib = known.memoryNodeMib;
  host.memoryOtherMib = known.memoryTotalMib - known.memoryNodeMib - usedMib - known.memoryFreeMib;
  host.cpuTotal = known.cpuTotal;
  host.cpuNode = known.cpuNode;
  host.cpuNodes = known.cpuNodes ?? host.cpuNodes;
  host.cpuSockets = known.cpuSockets ?? host.cpuSockets;
}

interface Space {
  readonly totalMib: number;
  readonly freeMib: number;
}

const spaceOf = (known: MachineFigures | undefined, usedMib: number): Space =>
  known?.diskTotalMib === undefined || known.diskFreeMib === undefined
    ? { totalMib: usedMib + unknownDiskMib, freeMib: unknownDiskMib }
    : { totalMib: known.diskTotalMib, freeMib: known.diskFreeMib };

const volumesMib = ({ volumes }: VolumeGroupState): number =>
  Object.values(volumes).reduce((sum, { sizeMib }) => sum + sizeMib, 0);

function giveOnePhysicalVolume(group: VolumeGroupState, { totalMib, freeMib }: Space): void {
  const on = "/dev/sda3";
  for (const [name, volume] of Object.entries(group.volumes)) {
    setVolume(group, name, { ...volume, pieces: [{ on, sizeMib: volume.sizeMib }] });
  }
  const otherMib = totalMib - freeMib - volumesMib(group);
  group.physicalVolumes[on] = { sizeMib: totalMib, otherMib, allocatable: true, missing: false };
}

/**
 * With exclusive storage only empty physical volumes are free. The volumes are spread over the others, one or more
 * on each; a physical volume in use without any of them has another user.
 */
function givePhysicalVolumes(
  group: VolumeGroupState,
  { totalMib, freeMib }: Space,
  { total, free }: { readonly total: number; readonly free: number },
): void {
  const sizes = [...shares(freeMib, free), ...shares(totalMib - freeMib, total - free)];
  const names = sizes.map((_, at) => `/dev/sd${at}`);
  for (const [at, sizeMib] of sizes.entries()) {
    group.physicalVolumes[names[at] as string] = { sizeMib, allocatable: true, missing: false };
  }
  const used = names.slice(free);
  const volumes = Object.entries(group.volumes);
  for (const [at, [name, volume]] of volumes.entries()) {
    const on = used[at % used.length];
    const pieces = on === undefined ? [] : [{ on, sizeMib: volume.sizeMib }];
    setVolume(group, name, { ...volume, pieces });
  }
  for (const name of used.slice(volumes.length)) {
    const physical = group.physicalVolumes[name];
    if (physical !== undefined) physical.otherMib = 1;
  }
}

/** `sum` in `count` parts of nearly equal size. */
const shares = (sum: number, count: number): readonly number[] =>
  Array.from(
    { length: Math.max(0, count) },
    (_, at) => Math.floor((sum * (at + 1)) / count) - Math.floor((sum * at) / count),
  );
