/** Properties of disk templates for placement: location of the disks, and possible moves. */
import { type DiskTemplate, type DiskTraits, diskTraits, usesLvm } from "@ganeti-ts/protocol";

/** Only these templates consume node disk and spindles; `file` does not, although its disks are local. */
export const usesLocalStorage = (template: DiskTemplate): boolean => usesLvm(template);

/** Internal: a copy on a secondary node. External: any node can reach the disks. */
export const mirroring = (template: DiskTemplate): DiskTraits["mirroring"] =>
  diskTraits[template].mirroring;

/** Templates whose instances balancing moves; it leaves diskless ones alone, unlike evacuation. */
export const isBalanced = (template: DiskTemplate): boolean =>
  mirroring(template) !== "none" && template !== "diskless";

/** Templates whose instances the N+1 test moves to another node; it re-creates all others but drbd. */
export const movesForCapacity = (template: DiskTemplate): boolean =>
  mirroring(template) === "external" && template !== "blockdev";
