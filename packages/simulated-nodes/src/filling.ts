/** Disk space of a simulated host that another program has filled. */
import { fileSystemFree } from "./file-disk.js";
import type { HostState } from "./node-state.js";
import { groupSpace, takeSpace } from "./volume-group.js";
import { setVolume } from "./volumes.js";

/** Volumes of the cluster have a UUID in their names, so they never match. */
const isFiller = (volume: string): boolean => /^filler\d+$/.test(volume);

/** Fills a volume group or, without one, the file system as another program would. */
export function fill(host: HostState, groupName: string | undefined, freeMib: number): void {
  const group = host.volumeGroups[groupName ?? ""];
  if (groupName === undefined) {
    host.fileSystem.usedMib += Math.max(0, fileSystemFree(host) - freeMib);
  } else if (group !== undefined) {
    const sizeMib = groupSpace(group).freeMib - freeMib;
    if (sizeMib <= 0) return;
    const pieces = takeSpace(group, groupName, sizeMib, null);
    const name = `filler${Object.keys(group.volumes).length}`;
    setVolume(group, name, { sizeMib, pieces, info: "", open: false });
  }
}

/** Frees the space that `fill` took; the file system becomes empty. */
export function removeFilling(
  { volumeGroups, fileSystem }: HostState,
  groupName: string | undefined,
): void {
  if (groupName === undefined) fileSystem.usedMib = 0;
  const group = volumeGroups[groupName ?? ""];
  if (group === undefined) return;
  for (const name of Object.keys(group.volumes)) {
    if (isFiller(name)) setVolume(group, name, undefined);
  }
}
