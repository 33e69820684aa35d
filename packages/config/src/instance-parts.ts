/** Disks, nodes and disk template of an instance, looked up in the configuration. */
import type {
  DiskObject,
  DiskTemplate,
  DiskType,
  InstanceObject,
  NodeUuid,
  RealDisk,
  RealInstance,
} from "@ganeti-ts/protocol";
import { type Snapshot, secondaryNodes } from "./snapshot.js";

/** The disks of a real instance, in their order; a real instance has real disks only. */
export const realDisksOf = (now: Snapshot, instance: RealInstance): readonly RealDisk[] =>
  instance.disks.flatMap((uuid) => (now.disk(uuid) as RealDisk | undefined) ?? []);

/** The primary node, if the instance has one, then the secondaries of its mirrors. */
export const nodesOfInstance = (now: Snapshot, instance: InstanceObject): readonly NodeUuid[] => {
  const secondaries = secondaryNodes(now, instance);
  const { primary_node: primary } = instance;
  return primary === undefined ? secondaries : [primary, ...secondaries];
};

/** `mixed` if disks have several types. */
type InstanceDiskTemplate = DiskTemplate | "mixed";

/**
 * Without disks that of the reservation, else `diskless`; undefined if a disk of a forthcoming instance has no type.
 * `disks`: its disks, if they are not in the configuration. O(disks).
 */
export function diskTemplate(
  now: Snapshot,
  instance: InstanceObject,
  disks: readonly DiskObject[] = now.disksOf(instance),
): InstanceDiskTemplate | undefined {
  const types = new Set(disks.map(({ dev_type }) => dev_type));
  if (types.size === 0) return (instance.forthcoming && instance.disk_template) || "diskless";
  if (types.has(undefined)) return undefined;
  return types.size === 1 ? ([...types][0] as DiskType) : "mixed";
}

/** The disk template for a list of types, for disks that are not in the configuration yet. */
export function templateOfTypes(types: readonly DiskType[]): InstanceDiskTemplate {
  const distinct = new Set(types);
  if (distinct.size === 0) return "diskless";
  return distinct.size === 1 ? (types[0] as DiskType) : "mixed";
}
