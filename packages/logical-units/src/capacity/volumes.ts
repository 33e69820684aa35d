/** What disks take of volume groups. */

/** What of a disk says what it takes. */
export interface VolumeLike {
  readonly dev_type?: string | undefined;
  readonly logical_id?: readonly (string | number | null)[] | undefined;
  readonly size?: number | undefined;
  readonly children?: readonly VolumeLike[] | undefined;
}

/** A mirror takes what its two volumes take; other disks than volumes take nothing that is counted. */
function addVolumes(volumes: Map<string, number>, disk: VolumeLike): void {
  for (const child of disk.children ?? []) addVolumes(volumes, child);
  if (disk.dev_type !== "plain") return;
  const group = String(disk.logical_id?.[0] ?? "");
  volumes.set(group, (volumes.get(group) ?? 0) + (disk.size ?? 0));
}

/** What these disks take of each volume group of one node. */
export function volumesOf(disks: readonly VolumeLike[]): ReadonlyMap<string, number> {
  const volumes = new Map<string, number>();
  for (const disk of disks) addVolumes(volumes, disk);
  return volumes;
}
