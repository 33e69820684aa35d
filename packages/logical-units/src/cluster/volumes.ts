/** Logical volumes of disks, with the nodes they belong on, and volumes that are reserved for other programs. */
import type { Snapshot } from "@ganeti-ts/config";
import type { ChildDisk, DiskObject, InstanceObject, NodeUuid } from "@ganeti-ts/protocol";
import { compilePattern, FilterError } from "@ganeti-ts/query";
import { wrongInput } from "../unit/refusals.js";

/** `group/volume` by node; reservations have none. O(disks). */
export const volumesOf = (
  now: Snapshot,
  instance: InstanceObject,
): ReadonlyMap<NodeUuid, readonly string[]> =>
  volumesOfDisks(instance.forthcoming ? [] : now.disksOf(instance));

/** `group/volume` by node, of disks that exist. O(disks). */
function volumesOfDisks(disks: readonly DiskObject[]): ReadonlyMap<NodeUuid, readonly string[]> {
  const found = new Map<NodeUuid, string[]>();
  eachVolume(disks, (node, group, volume) => {
    const there = found.get(node);
    if (there === undefined) found.set(node, [`${group}/${volume}`]);
    else there.push(`${group}/${volume}`);
  });
  return found;
}

/** Calls `visit` for each logical volume on each of its nodes. */
export function eachVolume(
  disks: readonly DiskObject[],
  visit: (node: NodeUuid, group: string, volume: string) => void,
): void {
  const look = (
    { dev_type, logical_id, children = [] }: DiskObject | ChildDisk,
    nodes: readonly NodeUuid[],
  ) => {
    if (dev_type === "plain") {
      const [group, volume] = logical_id ?? [];
      for (const node of nodes) visit(node, String(group), String(volume));
    }
    for (const child of children) look(child, nodes);
  };
  for (const disk of disks) look(disk, disk.nodes);
}

/**
 * Reserved volumes: patterns for volumes of the cluster's volume group that belong to other
 * programs.
 */
const whole = (pattern: string) => compilePattern(`^${pattern}$`);

/** @throws PrereqError for a pattern that is not a valid regular expression */
export function checkReservedVolumes(patterns: readonly string[]): void {
  for (const pattern of patterns) {
    try {
      whole(pattern);
    } catch (error) {
      if (!(error instanceof FilterError)) throw error;
      wrongInput(`Reserved volume '${pattern}': ${error.message}`);
    }
  }
}

/**
 * Predicate for volumes, given as `group/name`. An older cluster may have an invalid pattern, which
 * matches nothing.
 */
export function reservedVolumes(patterns: readonly string[]): (volume: string) => boolean {
  const reserved = patterns.flatMap((pattern) => {
    try {
      return [whole(pattern)];
    } catch (error) {
      if (!(error instanceof FilterError)) throw error;
      return [];
    }
  });
  return (volume) => reserved.some((pattern) => pattern.found(volume));
}
