/**
 * Existing volumes that a job has taken over under new names: those that an administrator gives to a
 * new instance, and those that become the data of mirrors. Until the job is done, they can get their
 * own names back.
 */
import { diskOnNode, type Snapshot } from "@ganeti-ts/config";
import type { DiskObject, NodeUuid, RealDisk, RealInstance } from "@ganeti-ts/protocol";
import { claimedDevices } from "../../capacity/claim.js";
import { ask, type Calling } from "../../unit/effects.js";
import { adoptedMark } from "../plan/disks.js";
import { nodesOfDisk } from "../running/activation.js";

/** The volume that has been, or was to be, renamed: the disk itself, or the data of a mirror. */
const volumeOf = (disk: RealDisk) => (disk.children[0] ?? disk) as RealDisk;

/**
 * Own name of the volume that the held disk takes over; undefined if there is none, or if nothing would own it under
 * this name: the disk that becomes a mirror has been removed since. O(disks) for a mirror.
 */
export function adoptedVolume(now: Snapshot, held: DiskObject): string | undefined {
  const name = held.params?.[adoptedMark];
  if (typeof name !== "string") return undefined;
  if (held.dev_type !== "drbd") return name;
  const [group] = volumeOf(held as RealDisk).logical_id;
  for (const disk of now.disks()) {
    const [ofGroup, ofName] = disk.logical_id ?? [];
    if (disk.dev_type === "plain" && ofName === name && ofGroup === group) return name;
  }
  return undefined;
}

/**
 * Whether the volume has its own name again, or is gone. Only then may the volume made in its place
 * be removed.
 */
export async function isNameGivenBack(
  calling: Calling,
  now: Snapshot,
  instance: Pick<RealInstance, "primary_node">,
  disk: RealDisk,
  name: string,
): Promise<boolean> {
  // A claim holds only one side of a mirror.
  const nodes: readonly (NodeUuid | null)[] = nodesOfDisk(disk, instance.primary_node);
  for (const node of nodes) {
    if (node === null) continue;
    await ask(calling, node, "blockdev_shutdown", { disk: diskOnNode(now, instance, disk) });
  }
  const volume = volumeOf(disk);
  const [group, newName] = volume.logical_id;
  const renames = [{ disk: diskOnNode(now, instance, volume), logicalId: [group ?? null, name] }];
  const { ok } = await ask(calling, instance.primary_node, "blockdev_rename", { renames });
  if (ok) return true;
  // It may never have been renamed.
  const listed = await ask(calling, instance.primary_node, "lv_list", {
    volumeGroups: [String(group)],
  });
  const isOnNode = (wanted: unknown) =>
    listed.ok && listed.value.some((one) => one.name === wanted);
  return listed.ok && (isOnNode(name) || !isOnNode(newName));
}

/**
 * Whether the volume of a plain disk, which is to be removed, is known by its own name: entries of conversions whose jobs
 * have died may hold it under another one. To be called with the instance locked.
 */
export async function isUnderOwnName(
  calling: Calling,
  now: Snapshot,
  instance: RealInstance,
  { dev_type: type, logical_id: [group, name] }: RealDisk,
): Promise<boolean> {
  if (type !== "plain") return true;
  for (const disk of claimedDevices(now) as readonly DiskObject[] as readonly RealDisk[]) {
    const isIt =
      disk.params?.[adoptedMark] === name &&
      disk.dev_type === "drbd" &&
      volumeOf(disk).logical_id[0] === group;
    if (isIt && !(await isNameGivenBack(calling, now, instance, disk, String(name)))) return false;
  }
  return true;
}
