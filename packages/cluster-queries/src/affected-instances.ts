/** Instances of which a field may have another value in a later snapshot. */
import type { Snapshot } from "@ganeti-ts/config";
import type { ClusterObject, GroupObject } from "@ganeti-ts/protocol";

/** Parts of the cluster that change in operation and that no field of an instance or a node shows. */
export const unseenParts = [
  ...(["serial_no", "ctime", "mtime", "tags"] as const),
  ...(["highest_used_port", "tcpudp_port_pool", "candidate_certs", "candidate_pool_size"] as const),
  ...(["default_iallocator", "default_iallocator_params", "default_iallocators"] as const),
  ...(["max_running_jobs", "max_tracked_jobs", "data_collectors", "maintain_node_health"] as const),
  ...(["hidden_os", "blacklisted_os", "install_image", "zeroing_image"] as const),
  ...(["compression_tools", "reserved_lvs", "uid_pool", "prealloc_wipe_disks"] as const),
] satisfies readonly (keyof ClusterObject)[];

const unseen: ReadonlySet<keyof ClusterObject> = new Set(unseenParts);

/**
 * UUIDs of all instances of which a field may have another value, live data apart: those that changed, with changed
 * disks, and on changed nodes or networks. Undefined: it may be any. O(changes * log n).
 */
export function affectedInstances(
  before: Snapshot,
  now: Snapshot,
): ReadonlySet<string> | undefined {
  if (before === now) return new Set();
  if (!showsAlike(before.cluster, now.cluster)) return undefined;
  if (now.differencesFrom(before, "group").some((one) => !groupsAlike(one))) return undefined;
  const affected = new Set<string>(now.differencesFrom(before, "instance").map(({ key }) => key));
  for (const { key } of now.differencesFrom(before, "disk")) {
    const owner = now.instanceOfDisk(key as never);
    if (owner !== undefined) affected.add(owner.uuid);
  }
  for (const { key } of now.differencesFrom(before, "node")) {
    const { primary, secondary } = now.instancesOfNode(key as never);
    for (const { uuid } of primary) affected.add(uuid);
    for (const { uuid } of secondary) affected.add(uuid);
  }
  for (const { key } of now.differencesFrom(before, "network")) {
    for (const { uuid } of now.instancesOfNetwork(key as never)) affected.add(uuid);
  }
  return affected;
}

/** Whether both clusters show the same in all fields of instances and nodes. */
export function showsAlike(before: ClusterObject, now: ClusterObject): boolean {
  if (before === now) return true;
  const keys = new Set([...Object.keys(before), ...Object.keys(now)]) as Set<keyof ClusterObject>;
  return [...keys].every((key) => unseen.has(key) || before[key] === now[key]);
}

/** A new group has no nodes yet, and one that goes has none left: that changes the nodes. */
const groupsAlike = ({ before, after }: GroupChange): boolean =>
  before?.name === after?.name && before?.networks === after?.networks;

interface GroupChange {
  readonly before: GroupObject | undefined;
  readonly after: GroupObject | undefined;
}
