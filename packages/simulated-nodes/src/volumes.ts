/** Volumes of a group, changed here alone, so that sums of space follow what changed. */
import { setEntry } from "./entries.js";
import type { VolumeGroupState, VolumeState } from "./node-state.js";

type Volumes = VolumeGroupState["volumes"];

/** MiB in use by physical volume, of volumes that are listed; without those that are 0. */
const usedMib = new WeakMap<Volumes, Map<string, number>>();

/** Adds, replaces or, with undefined, removes a volume. */
export function setVolume(
  { volumes }: VolumeGroupState,
  name: string,
  volume: VolumeState | undefined,
): void {
  const used = usedMib.get(volumes);
  const before = volumes[name];
  if (used !== undefined && before?.pieces !== volume?.pieces) {
    if (before !== undefined) count(used, before, -1);
    if (volume !== undefined) count(used, volume, 1);
  }
  setEntry(volumes, name, volume);
}

/** MiB used by the listed volumes, by physical volume; O(volumes) at the first time. */
export function usedByVolumes({ volumes }: VolumeGroupState): ReadonlyMap<string, number> {
  let used = usedMib.get(volumes);
  if (used === undefined) {
    used = new Map();
    for (const volume of Object.values(volumes)) count(used, volume, 1);
    usedMib.set(volumes, used);
  }
  return used;
}

function count(used: Map<string, number>, { pieces }: VolumeState, sign: 1 | -1): void {
  for (const { on, sizeMib } of pieces) {
    const sum = (used.get(on) ?? 0) + sign * sizeMib;
    if (sum === 0) used.delete(on);
    else used.set(on, sum);
  }
}
