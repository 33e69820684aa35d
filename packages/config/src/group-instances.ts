/** Instances of a node group with their disks, kept between checks of the whole group. */
import type {
  DiskObject,
  GroupObject,
  GroupUuid,
  InstanceObject,
  NodeUuid,
} from "@ganeti-ts/protocol";
import { type Snapshot, secondaryNodes } from "./snapshot.js";

/** An instance with the objects it refers to. */
export interface InstanceInGroup {
  readonly instance: InstanceObject;
  /** In order; disks that are missing are skipped. */
  readonly disks: readonly DiskObject[];
  readonly secondaries: readonly NodeUuid[];
}

type ByNode = ReadonlyMap<NodeUuid, readonly InstanceInGroup[]>;

/** Instances of the nodes of all groups, as of one snapshot. */
interface Kept {
  now: Snapshot;
  /** By primary node; only of nodes that have been asked for since their last change. */
  readonly byPrimary: Map<NodeUuid, readonly InstanceInGroup[]>;
  /** Results for that snapshot. */
  byGroup: Map<GroupUuid, ByNode>;
}

/** The same for all groups of a cluster: each change is looked at once, not once for each group. */
const keptByGroup = new WeakMap<GroupObject, Kept>();

/**
 * Nodes of the group, each with the instances whose primary it is, reservations included. O(instances of the group) at
 * first; then O(nodes of the group), and O(log n) for each object of the cluster that has changed since the last call for
 * any group.
 */
export function instancesOfGroupByNode(now: Snapshot, group: GroupObject): ByNode {
  const kept = keptFor(now, group);
  const known = kept.byGroup.get(group.uuid);
  if (known !== undefined) return known;
  const byNode = new Map<NodeUuid, readonly InstanceInGroup[]>();
  for (const { uuid } of now.nodesOfGroup(group.uuid)) {
    const list =
      kept.byPrimary.get(uuid) ??
      now.instancesOfNode(uuid).primary.map((one) => withDisks(now, one));
    kept.byPrimary.set(uuid, list);
    byNode.set(uuid, list);
  }
  kept.byGroup.set(group.uuid, byNode);
  return byNode;
}

/** Kept with this group or, if it is new or has changed, with another one; as of `now`. */
function keptFor(now: Snapshot, group: GroupObject): Kept {
  let kept = keptByGroup.get(group);
  if (kept === undefined) {
    for (const other of now.groups()) kept ??= keptByGroup.get(other);
    kept ??= { now, byPrimary: new Map(), byGroup: new Map() };
    keptByGroup.set(group, kept);
  }
  if (kept.now !== now) {
    for (const node of changedPrimaries(kept.now, now)) kept.byPrimary.delete(node);
    kept.now = now;
    kept.byGroup = new Map();
  }
  return kept;
}

const withDisks = (now: Snapshot, instance: InstanceObject): InstanceInGroup => ({
  instance,
  disks: now.disksOf(instance),
  secondaries: secondaryNodes(now, instance),
});

/** Primary nodes, before or now, of instances that differ, or have disks that differ. */
function changedPrimaries(before: Snapshot, now: Snapshot): ReadonlySet<NodeUuid> {
  const nodes = new Set<NodeUuid>();
  const note = (node: NodeUuid | undefined) => node !== undefined && nodes.add(node);
  for (const { before: old, after } of now.differencesFrom(before, "instance")) {
    note(old?.primary_node);
    note(after?.primary_node);
  }
  for (const { before: old, after } of now.differencesFrom(before, "disk")) {
    note(old && before.instanceOfDisk(old.uuid)?.primary_node);
    note(after && now.instanceOfDisk(after.uuid)?.primary_node);
  }
  return nodes;
}
