/** Lists of the logical volumes of a host, the same as long as none of them has changed. */
import type { LogicalVolume } from "@ganeti-ts/node-calls";
import { settingsOf } from "./entries.js";
import type { HostState } from "./node-state.js";
import { isBroken } from "./volume-group.js";

interface Kept {
  /** Everything that the list depends on, in the order of the volume groups. */
  readonly sources: readonly unknown[];
  readonly volumes: readonly LogicalVolume[];
}

const keptByHost = new WeakMap<HostState, Kept>();

/**
 * All volumes of the host. The watcher asks every node for them every few minutes: O(physical volumes) unless one has
 * changed since, and callers see by the reference that nothing has.
 */
export function allVolumes(host: HostState): readonly LogicalVolume[] {
  const sources = sourcesOf(host);
  const known = keptByHost.get(host);
  if (known !== undefined && isSame(known.sources, sources)) return known.volumes;
  const volumes = Object.freeze(volumesIn(host, Object.keys(host.volumeGroups)));
  keptByHost.set(host, { sources, volumes });
  return volumes;
}

/** Volumes of these groups, or of all if there is none. O(volumes). */
export const logicalVolumes = (
  host: HostState,
  groups: readonly string[],
): readonly LogicalVolume[] =>
  groups.length === 0
    ? allVolumes(host)
    : volumesIn(
        host,
        Object.keys(host.volumeGroups).filter((name) => groups.includes(name)),
      );

/** Volumes are replaced, not changed in place; the states of physical volumes are read. */
function sourcesOf({ volumeGroups }: HostState): readonly unknown[] {
  const sources: unknown[] = [];
  for (const name of Object.keys(volumeGroups)) {
    const { volumes, physicalVolumes } = volumeGroups[name] as HostState["volumeGroups"][string];
    sources.push(name, volumes, settingsOf(volumes));
    for (const physical of Object.keys(physicalVolumes)) {
      sources.push(physical, physicalVolumes[physical]?.missing);
    }
  }
  return sources;
}

function volumesIn(host: HostState, groups: readonly string[]): LogicalVolume[] {
  const found: LogicalVolume[] = [];
  for (const volumeGroup of groups) {
    const group = host.volumeGroups[volumeGroup];
    if (group === undefined) continue;
    for (const name of Object.keys(group.volumes)) {
      const volume = group.volumes[name];
      if (volume === undefined) continue;
      const { sizeMib, open } = volume;
      found.push({ name, volumeGroup, sizeMib, active: !isBroken(group, volume), open });
    }
  }
  return found;
}

const isSame = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((one, at) => one === b[at]);
