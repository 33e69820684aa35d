/** Nodes of which a field may have another value in a later snapshot. */
import { type Snapshot, secondaryNodes } from "@ganeti-ts/config";
import type { InstanceObject } from "@ganeti-ts/protocol";
import { showsAlike } from "./affected-instances.js";

/**
 * UUIDs of all nodes of which a field may have another value, live data apart: those that changed, those of changed
 * groups, and those of instances that came, went, moved or have another name. Undefined: it may be any.
 * O((changes + nodes of changed groups) * log n).
 */
export function affectedNodes(before: Snapshot, now: Snapshot): ReadonlySet<string> | undefined {
  if (before === now) return new Set();
  if (!showsAlike(before.cluster, now.cluster)) return undefined;
  const affected = new Set<string>(now.differencesFrom(before, "node").map(({ key }) => key));
  for (const { key } of now.differencesFrom(before, "group")) {
    for (const { uuid } of now.nodesOfGroup(key as never)) affected.add(uuid);
  }
  const addNodesOf = (instance: InstanceObject | undefined, snapshot: Snapshot) => {
    if (instance === undefined) return;
    if (instance.primary_node) affected.add(instance.primary_node);
    for (const uuid of secondaryNodes(snapshot, instance)) affected.add(uuid);
  };
  for (const one of now.differencesFrom(before, "instance")) {
    if (isListedAlike(one.before, one.after)) continue;
    addNodesOf(one.before, before);
    addNodesOf(one.after, now);
  }
  for (const { key } of now.differencesFrom(before, "disk")) {
    for (const snapshot of [before, now]) {
      addNodesOf(snapshot.instanceOfDisk(key as never), snapshot);
    }
  }
  return affected;
}

/** Whether nodes show an instance as before: by its name, below its nodes. */
const isListedAlike = (
  before: InstanceObject | undefined,
  after: InstanceObject | undefined,
): boolean =>
  before !== undefined &&
  after !== undefined &&
  before.name === after.name &&
  before.primary_node === after.primary_node &&
  before.disks === after.disks;
