/** Instances of a node group with their disks, kept between checks of the whole group. */
import type { DiskObject, GroupObject, InstanceObject, NodeUuid } from "@ganeti-ts/protocol";
import { type Snapshot, secondaryNodes } from "./snapshot.js";

/** An instance with the objects it refers to. */
export interface InstanceInGroup {
  readonly instance: InstanceObject;
  /** In order; disks that are missing are skipped. */
  readonly disks: readonly DiskObject[];
  readonly secondaries: readonly NodeUuid[];
}

type ByNode = ReadonlyMap<NodeUuid, readonly InstanceInGroup[]>;

/** The last result for each group; a changed group begins again. */
const known = new WeakMap<GroupObject, { readonly now: Snapshot; readonly byNode: ByNode }>();

/**
 * Nodes of the group, each with the instances whose primary it is, reservations included. O(instances of the group) at
 * first; then O(nodes of the group), and O(log n) for each object of the cluster that has changed since the last call.
 */
export function instancesOfGroupByNode(now: Snapshot, group: GroupObject): ByNode {
  const before = known.get(group);
  if (before?.now === now) return before.byNode;
  const changed = before && changedPrimaries(before.now, now);
  const byNode = new Map<NodeUuid, readonly InstanceInGroup[]>();
  for (const { uuid } of now.nodesOfGroup(group.uuid)) {
    const kept = changed?.has(uuid) ? undefined : before?.byNode.get(uuid);
    byNode.set(uuid, kept ?? now.instancesOfNode(uuid).primary.map((one) => withDisks(now, one)));
  }
  known.set(group, { now, byNode });
  return byNode;
}

const withDisks = (now: Snapshot, instance: InstanceObject): InstanceInGroup => ({
  instance,
  disks: now.disksOf(instance),
  secondaries: secondaryNodes(now, instance),
});

/** Primary nodes, before or now, of instances that differ, or have disks that differ. */
function changedPrimaries(before: Snapshot, now: Snapshot): ReadonlySet<NodeUuid | undefined> {
  const nodes = new Set<NodeUuid | undefined>();
  for (const { before: old, after } of now.differencesFrom(before, "instance")) {
    nodes.add(old?.primary_node).add(after?.primary_node);
  }
  for (const { before: old, after } of now.differencesFrom(before, "disk")) {
    if (old !== undefined) nodes.add(before.instanceOfDisk(old.uuid)?.primary_node);
    if (after !== undefined) nodes.add(now.instanceOfDisk(after.uuid)?.primary_node);
  }
  return nodes;
}
