/** What of a node is reserved: what instances to come, and running creations, are going to take of it. */
import type { ChildDisk, DiskObject, InstanceUuid, NodeUuid } from "@ganeti-ts/protocol";
import { filledBeparams } from "../filling.js";
import type { Snapshot } from "../snapshot.js";

/** Sizes in MiB. */
export interface Reserved {
  /** Of those that are to run there. */
  readonly memoryMib: number;
  readonly vcpus: number;
  readonly spindleUse: number;
  /** Disk space by volume group; that of files by the empty name. */
  readonly diskMib: Readonly<Record<string, number>>;
  /** Spindles of disks, where storage is exclusive. */
  readonly diskSpindles: number;
  /** Memory of those that have a copy of their disks there: what a failover would take. */
  readonly secondaryMemoryMib: number;
}

/** Metadata of a drbd disk, on both nodes. */
export const drbdMetaMib = 128;

/** Space of files, among volume groups. */
export const fileStorage = "";

/**
 * Sums over the node's instances to come; those of `except` do not count. One without a primary node
 * counts nowhere; what a placed one does not say counts with its filled default.
 * O(instances of the node * their disks).
 */
export function reservedOn(
  now: Snapshot,
  node: NodeUuid,
  except: ReadonlySet<InstanceUuid> = new Set(),
): Reserved {
  let [memoryMib, vcpus, spindleUse, diskSpindles, secondaryMemoryMib] = [0, 0, 0, 0, 0];
  const diskMib: Record<string, number> = {};
  const { primary, secondary } = now.instancesOfNode(node);
  for (const [instances, isPrimary] of [[primary, true] as const, [secondary, false] as const]) {
    for (const instance of instances) {
      if (!instance.forthcoming || except.has(instance.uuid)) continue;
      const filled = filledBeparams(now, instance);
      if (isPrimary) {
        memoryMib += filled.maxmem;
        vcpus += filled.vcpus;
        spindleUse += filled.spindle_use;
      } else {
        secondaryMemoryMib += filled.maxmem;
      }
      for (const disk of now.disksOf(instance)) {
        if (!disk.nodes.includes(node)) continue;
        diskSpindles += disk.spindles ?? 0;
        for (const [group, sizeMib] of Object.entries(spaceOf(now, disk))) {
          diskMib[group] = (diskMib[group] ?? 0) + sizeMib;
        }
      }
    }
  }
  return { memoryMib, vcpus, spindleUse, diskMib, diskSpindles, secondaryMemoryMib };
}

/** What a disk takes on each of its nodes, in MiB by volume group; files by the empty name. */
export function spaceOf(now: Snapshot, disk: DiskObject): Readonly<Record<string, number>> {
  const { dev_type, size = 0, children, params } = disk;
  const defaultGroup = now.cluster.volume_group_name ?? "";
  switch (dev_type) {
    case undefined:
    case "plain":
      return { [groupOf(disk) ?? defaultGroup]: size };
    case "drbd": {
      const space: Record<string, number> = {};
      const [data, meta] = children;
      const metaGroup = params?.metavg ?? now.cluster.diskparams.drbd?.metavg ?? defaultGroup;
      const add = (group: string, sizeMib: number) => {
        space[group] = (space[group] ?? 0) + sizeMib;
      };
      add((data && groupOf(data)) ?? defaultGroup, data?.size ?? size);
      add((meta && groupOf(meta)) ?? String(metaGroup), meta?.size ?? drbdMetaMib);
      return space;
    }
    case "file":
      return { [fileStorage]: size };
    default:
      return {};
  }
}

function groupOf({ logical_id }: DiskObject | ChildDisk): string | undefined {
  const group = logical_id?.[0];
  return typeof group === "string" ? group : undefined;
}
