/** Instances whose text may differ between two snapshots. */
import type { Snapshot } from "@ganeti-ts/config";
import type { GroupObject } from "@ganeti-ts/protocol";
import { sameReads } from "./text-reads.js";

/**
 * UUIDs of all instances whose text may differ, live data apart: those that changed, with changed disks, and
 * on changed nodes or networks. Undefined: it may be any. O(changes * log n).
 */
export function affectedInstances(
  before: Snapshot,
  now: Snapshot,
): ReadonlySet<string> | undefined {
  if (!sameReads(parametersOf(before), parametersOf(now))) return undefined;
  const groups = now.differencesFrom(before, "group");
  if (groups.some((one) => networksOf(one.before) !== networksOf(one.after))) return undefined;
  const affected = new Set(now.differencesFrom(before, "instance").map(({ key }) => key));
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

const networksOf = (group: GroupObject | undefined) => group?.networks;

/** Parameters of the cluster that texts of instances, and their status, depend on. */
const parametersOf = ({ cluster }: Snapshot): readonly unknown[] => [
  cluster.hvparams,
  cluster.os_hvp,
  cluster.beparams,
  cluster.nicparams,
  cluster.enabled_user_shutdown,
];
