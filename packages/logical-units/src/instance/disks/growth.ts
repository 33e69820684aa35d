/** Growth of disks. Sizes in MiB. */

import {
  filledNdparams,
  groupOf,
  groupPolicy,
  realDisksOf,
  type Snapshot,
  specViolations,
} from "@ganeti-ts/config";
import { diskCan, type NodeUuid, type RealDisk, type RealInstance } from "@ganeti-ts/protocol";
import type { Demand } from "../../capacity/demand.js";
import { hasVolumes, volumesOf } from "../../capacity/volumes.js";
import { wrongInput } from "../../unit/refusals.js";

/** All types but `blockdev`, whose devices are not made by Ganeti. */
export const isGrowable = ({ dev_type }: RealDisk): boolean => diskCan(dev_type, "grow");

/** The grown disk and children; the metadata of a mirror keep their size. */
export function grownDisk(disk: RealDisk, deltaMib: number): RealDisk {
  const [data, ...rest] = disk.children;
  const children =
    disk.dev_type === "drbd" && data !== undefined
      ? [{ ...data, size: data.size + deltaMib }, ...rest]
      : disk.children;
  return { ...disk, size: disk.size + deltaMib, children };
}

/**
 * Storage that the growth takes of volume groups and of files; with exclusive storage only the node
 * itself can check it.
 */
export function growthDemands(
  now: Snapshot,
  nodes: readonly NodeUuid[],
  disk: RealDisk,
  deltaMib: number,
): readonly Demand[] {
  const volume = disk.dev_type === "drbd" ? disk.children[0] : disk;
  const volumes = volume === undefined ? new Map() : volumesOf([{ ...volume, size: deltaMib }]);
  if (volumes.size === 0) return [];
  if (hasVolumes(volumes) && nodes.some((node) => isExclusive(now, node))) return [];
  return nodes.map((node) => ({ node, volumes }));
}

/** Whether the node's storage is exclusive. */
export function isExclusive(now: Snapshot, uuid: NodeUuid): boolean {
  const node = now.node(uuid);
  return node !== undefined && filledNdparams(now, node).exclusive_storage;
}

/** Violations of the group's policy by the new disk sizes. */
export function grownSizeViolations(
  now: Snapshot,
  instance: RealInstance,
  grown: RealDisk,
): readonly string[] {
  const group = groupOf(now, instance.primary_node);
  if (group === undefined) return [];
  const disks = realDisksOf(now, instance);
  return specViolations(groupPolicy(now, group), {
    diskSizesMib: disks.map(({ uuid, size }) => (uuid === grown.uuid ? grown.size : size)),
    diskTypes: disks.map(({ dev_type }) => dev_type),
  });
}

/** Spindles are required on exclusive storage and refused elsewhere. */
export function checkDiskSpindles(
  spindles: number | undefined,
  isExclusive: boolean,
  isRequired: boolean,
): void {
  if (!isExclusive && spindles !== undefined) {
    const text =
      "Spindles in instance disks cannot be specified when exclusive storage is not active";
    wrongInput(text);
  }
  if (isExclusive && isRequired && spindles === undefined) {
    wrongInput("You must specify spindles in instance disks when exclusive storage is active");
  }
}
