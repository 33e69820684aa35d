/** Volume groups: allocation of logical volumes on physical ones. */
import type { HostState, VolumeGroupState, VolumeState } from "./node-state.js";
import { NodeFault } from "./site.js";
import { setVolume, usedByVolumes } from "./volumes.js";

/** MiB in use, by physical volume. O(physical volumes). */
export function usedByPhysicalVolume(group: VolumeGroupState): Map<string, number> {
  const used = new Map(usedByVolumes(group));
  for (const [name, { otherMib = 0 }] of Object.entries(group.physicalVolumes)) {
    if (otherMib !== 0) used.set(name, (used.get(name) ?? 0) + otherMib);
  }
  return used;
}

/** Allocatable physical volumes with their free MiB, most free first. */
function freePhysicalVolumes(group: VolumeGroupState): { name: string; free: number }[] {
  const used = usedByPhysicalVolume(group);
  return Object.entries(group.physicalVolumes)
    .filter(([, { allocatable, missing }]) => allocatable && !missing)
    .map(([name, { sizeMib }]) => ({ name, free: sizeMib - (used.get(name) ?? 0) }))
    .sort((a, b) => b.free - a.free);
}

/** Counts only allocatable physical volumes; with exclusive storage, only empty ones are free. */
export function groupSpace(
  group: VolumeGroupState,
  exclusive = false,
): { sizeMib: number; freeMib: number } {
  const used = usedByVolumes(group);
  let sizeMib = 0;
  let freeMib = 0;
  for (const name of Object.keys(group.physicalVolumes)) {
    const volume = group.physicalVolumes[name] as VolumeGroupState["physicalVolumes"][string];
    if (!volume.allocatable || volume.missing) continue;
    const free = volume.sizeMib - (used.get(name) ?? 0) - (volume.otherMib ?? 0);
    sizeMib += volume.sizeMib;
    if (!exclusive || free === volume.sizeMib) freeMib += free;
  }
  return { sizeMib, freeMib };
}

/** Numbers of all and of empty physical volumes. */
export function groupSpindles(group: VolumeGroupState): { total: number; free: number } {
  const volumes = freePhysicalVolumes(group);
  const empty = volumes.filter(({ name, free }) => free === group.physicalVolumes[name]?.sizeMib);
  return { total: volumes.length, free: empty.length };
}

export const volumeAt = (host: HostState, [group, name]: readonly unknown[]) =>
  host.volumeGroups[String(group)]?.volumes[String(name)];

/** Replaces the volume, if it exists, by a changed one; values that it already has are no change. */
export function changeVolume(
  host: HostState,
  [group, name]: readonly unknown[],
  change: Partial<VolumeState>,
): void {
  const there = host.volumeGroups[String(group)];
  const volume = there?.volumes[String(name)];
  const keys = Object.keys(change) as (keyof VolumeState)[];
  if (
    there !== undefined &&
    volume !== undefined &&
    keys.some((key) => volume[key] !== change[key])
  ) {
    setVolume(there, String(name), { ...volume, ...change });
  }
}

/** Whether a part of the volume is on a failed physical volume. */
export const isBroken = (group: VolumeGroupState, { pieces }: VolumeState): boolean =>
  pieces.some(({ on }) => group.physicalVolumes[on]?.missing ?? true);

/**
 * Takes space for a volume, or for more of one.
 *
 * @param spindles with exclusive storage: how many physical volumes it gets for itself
 */
export function takeSpace(
  group: VolumeGroupState | undefined,
  groupName: string,
  sizeMib: number,
  spindles: number | null,
): VolumeState["pieces"] {
  if (group === undefined) throw new NodeFault(`Can't compute PV info for vg ${groupName}`);
  return spindles === null ? takeAnywhere(group, sizeMib) : takeWhole(group, sizeMib, spindles);
}

function takeAnywhere(group: VolumeGroupState, sizeMib: number): VolumeState["pieces"] {
  const volumes = freePhysicalVolumes(group);
  const free = volumes.reduce((sum, volume) => sum + volume.free, 0);
  if (free < sizeMib) {
    throw new NodeFault(`Not enough free space: required ${sizeMib}, available ${free}`);
  }
  const pieces: VolumeState["pieces"][number][] = [];
  let left = sizeMib;
  for (const volume of volumes) {
    const here = Math.min(left, volume.free);
    if (here > 0) pieces.push({ on: volume.name, sizeMib: here });
    left -= here;
  }
  return pieces;
}

function takeWhole(
  group: VolumeGroupState,
  sizeMib: number,
  spindles: number,
): VolumeState["pieces"] {
  const empty = freePhysicalVolumes(group).filter(
    ({ name, free }) => free > 0 && free === group.physicalVolumes[name]?.sizeMib,
  );
  if (empty.length < spindles) {
    throw new NodeFault(
      `Not enough empty PVs (spindles) to create a disk of ${sizeMib} MB: ${empty.length} available, ${spindles} needed`,
    );
  }
  const taken = empty.slice(0, spindles);
  const room = taken.reduce((sum, { free }) => sum + free, 0);
  if (room < sizeMib) {
    const needed = empty.findIndex(
      (_, at) => empty.slice(0, at + 1).reduce((sum, { free }) => sum + free, 0) >= sizeMib,
    );
    throw new NodeFault(
      `Requested number of spindles (${spindles}) is not enough for a disk of ${sizeMib} MB (at least ${needed < 0 ? empty.length + 1 : needed + 1} spindles needed)`,
    );
  }
  let left = sizeMib;
  return taken.map(({ name, free }) => {
    const here = Math.min(left, free);
    left -= here;
    // An empty piece still reserves the physical volume.
    return { on: name, sizeMib: here };
  });
}
