/** What kind of storage an instance has: not stored, it follows from its disks. */
import type { DiskTemplate, DiskType, InstanceObject } from "@ganeti-ts/protocol";
import type { Snapshot } from "./snapshot.js";

/** `mixed` where disks are of several types. */
export type InstanceDiskTemplate = DiskTemplate | "mixed";

/**
 * `diskless` without disks; undefined where a disk of an instance to come does not say its type.
 * O(disks).
 */
export function diskTemplate(
  now: Snapshot,
  instance: InstanceObject,
): InstanceDiskTemplate | undefined {
  const types = new Set(now.disksOf(instance).map(({ dev_type }) => dev_type));
  if (types.size === 0) return "diskless";
  if (types.has(undefined)) return undefined;
  return types.size === 1 ? ([...types][0] as DiskType) : "mixed";
}

/** The same of a list of types, for disks that are not in the configuration yet. */
export function templateOfTypes(types: readonly DiskType[]): InstanceDiskTemplate {
  const distinct = new Set(types);
  if (distinct.size === 0) return "diskless";
  return distinct.size === 1 ? (types[0] as DiskType) : "mixed";
}

/** Templates whose disks are on the primary and one secondary node. */
export const mirroredTemplates = ["drbd"] as const satisfies readonly DiskTemplate[];

/** Templates whose disks every node reaches: they belong to no node. */
export const externallyMirrored = [
  "sharedfile",
  "blockdev",
  "rbd",
  "ext",
  "gluster",
] as const satisfies readonly DiskTemplate[];
