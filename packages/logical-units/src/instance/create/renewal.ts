/**
 * New names for a reservation whose devices are left on nodes after a failed commit: what is removed under the former ones
 * at some time must never be what the reservation becomes.
 */
import { drbdMinors, drbdSecret, newUuid } from "@ganeti-ts/config";
import type { DiskObject, DiskUuid, ForthcomingDisk, NodeUuid } from "@ganeti-ts/protocol";
import type { UnitContext } from "../../unit/unit.js";

/** A device of a disk that may still be on a node. */
export interface LeftDevice {
  readonly node: NodeUuid;
  readonly disk: Pick<DiskObject, "uuid" | "dev_type" | "logical_id">;
}

type Names = Pick<UnitContext, "now" | "config">;

/**
 * The disks of the reservation of which something is left, or whose minor a left device has: with a new UUID in the names
 * of volumes and files; mirrors also with a new secret, and new minors on the nodes with left devices. They stay in their
 * places and keep their sizes and ports.
 */
export function renewedDisks(
  context: Names,
  disks: readonly ForthcomingDisk[],
  left: readonly LeftDevice[],
): ReadonlyMap<DiskUuid, ForthcomingDisk> {
  const nodesOf = (disk: ForthcomingDisk) =>
    new Set(left.filter((device) => isOf(device, disk)).map(({ node }) => node));
  const renewed = disks.map((disk) => ({ disk, nodes: nodesOf(disk) }));
  const affected = renewed.filter(({ nodes }) => nodes.size > 0);
  const sides = affected.flatMap(({ disk, nodes }) => sidesOn(disk, nodes));
  const minors = drbdMinors(
    context.now,
    sides.map(({ node }) => node),
  );
  let used = 0;
  return new Map(
    affected.map(({ disk, nodes }) => {
      const count = sidesOn(disk, nodes).length;
      const own = minors.slice(used, used + count);
      used += count;
      return [disk.uuid, renewedDisk(context, disk, nodes, own)];
    }),
  );
}

function isOf({ node, disk: device }: LeftDevice, disk: ForthcomingDisk): boolean {
  if (device.uuid === disk.uuid) return true;
  const minor = minorOn(device, node);
  return minor !== undefined && minor === minorOn(disk, node);
}

/** Positions in the logical id of a mirror: a node and its minor. */
const positions = [
  { ofNode: 0, ofMinor: 3 },
  { ofNode: 1, ofMinor: 4 },
] as const;

function minorOn({ dev_type, logical_id: id }: LeftDevice["disk"], node: NodeUuid) {
  const at = positions.find(({ ofNode }) => id?.[ofNode] === node);
  return dev_type === "drbd" && at !== undefined ? id?.[at.ofMinor] : undefined;
}

const sidesOn = ({ dev_type, logical_id: id }: ForthcomingDisk, nodes: ReadonlySet<NodeUuid>) =>
  positions.flatMap(({ ofNode, ofMinor }) => {
    const node = id?.[ofNode] as NodeUuid;
    return dev_type === "drbd" && nodes.has(node) ? [{ node, ofMinor }] : [];
  });

const secretAt = 5;
const uuidBeforeDot = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}(?=\.)/;

function renewedDisk(
  { now, config }: Names,
  disk: ForthcomingDisk,
  nodes: ReadonlySet<NodeUuid>,
  minors: readonly number[],
): ForthcomingDisk {
  const uuid = newUuid(now, config.random);
  const renamed = (id: ForthcomingDisk["logical_id"]) =>
    id?.map((part) => (typeof part === "string" ? part.replace(uuidBeforeDot, uuid) : part));
  const children = disk.children.map((child) => ({
    ...child,
    logical_id: renamed(child.logical_id),
  }));
  const id = renamed(disk.logical_id);
  if (id !== undefined && disk.dev_type === "drbd") {
    id[secretAt] = drbdSecret(now, config.random);
    for (const [at, { ofMinor }] of sidesOn(disk, nodes).entries())
      id[ofMinor] = minors[at] ?? null;
  }
  return { ...disk, logical_id: id, children };
}
