/** What an instance takes of a node: memory where it runs, disk where it has a copy. */
import { filledBeparams, type Snapshot } from "@ganeti-ts/config";
import type { InstanceObject, NodeUuid } from "@ganeti-ts/protocol";

/** Sizes in MiB. */
export interface Footprint {
  readonly memoryMib: number;
  readonly vcpus: number;
  readonly spindles: number;
  /** By volume group. */
  readonly volumes: ReadonlyMap<string, number>;
}

/** Nothing of what an unplaced reservation asks for counts. O(disks). */
export function footprint(now: Snapshot, instance: InstanceObject, node: NodeUuid): Footprint {
  const volumes = new Map<string, number>();
  let spindles = 0;
  for (const disk of now.disksOf(instance)) {
    if (!disk.nodes.includes(node)) continue;
    addVolumes(volumes, disk);
    spindles += disk.spindles ?? 0;
  }
  if (instance.primary_node !== node) return { memoryMib: 0, vcpus: 0, spindles, volumes };
  const { maxmem, vcpus } = filledBeparams(now, instance);
  return { memoryMib: maxmem, vcpus, spindles, volumes };
}

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
