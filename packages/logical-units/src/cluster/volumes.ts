/** Logical volumes of disks, with the nodes they belong on. */
import type { Snapshot } from "@ganeti-ts/config";
import type { ChildDisk, DiskObject, InstanceObject, NodeUuid } from "@ganeti-ts/protocol";

/** `group/volume` by node; reservations have none. O(disks). */
export function volumesOf(
  now: Snapshot,
  instance: InstanceObject,
): ReadonlyMap<NodeUuid, readonly string[]> {
  const found = new Map<NodeUuid, string[]>();
  if (instance.forthcoming) return found;
  const visit = (disk: DiskObject | ChildDisk, nodes: readonly NodeUuid[]) => {
    const [group, volume] = disk.logical_id ?? [];
    if (disk.dev_type === "plain") {
      for (const node of nodes) found.set(node, [...(found.get(node) ?? []), `${group}/${volume}`]);
    }
    for (const child of disk.children ?? []) visit(child, nodes);
  };
  for (const disk of now.disksOf(instance)) visit(disk, disk.nodes);
  return found;
}
