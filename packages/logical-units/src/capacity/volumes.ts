/**
 * Storage that disks take of a node: MiB by volume group, with an empty name for disks in files.
 */
import { fileStorage } from "@ganeti-ts/config";

/** The fields of a disk that determine its storage. */
export interface VolumeLike {
  readonly dev_type?: string | undefined;
  readonly logical_id?: readonly (string | number | null)[] | undefined;
  readonly size?: number | undefined;
  readonly children?: readonly VolumeLike[] | undefined;
}

/**
 * A mirror takes the sum of its two volumes; disks on shared storage take nothing that is counted.
 */
function addVolumes(volumes: Map<string, number>, disk: VolumeLike): void {
  for (const child of disk.children ?? []) addVolumes(volumes, child);
  const group = placeOf(disk);
  if (group !== undefined) volumes.set(group, (volumes.get(group) ?? 0) + (disk.size ?? 0));
}

function placeOf({ dev_type: type, logical_id: id }: VolumeLike): string | undefined {
  if (type === "plain") return String(id?.[0] ?? "");
  return type === "file" ? fileStorage : undefined;
}

/**
 * Storage in MiB that these disks take of each volume group of one node, and of its file storage.
 */
export function volumesOf(disks: readonly VolumeLike[]): ReadonlyMap<string, number> {
  const volumes = new Map<string, number>();
  for (const disk of disks) addVolumes(volumes, disk);
  return volumes;
}

/** Whether something besides files is taken: only volumes have a spindle use. */
export const hasVolumes = (volumes: ReadonlyMap<string, number>): boolean =>
  [...volumes.keys()].some((group) => group !== fileStorage);
