/**
 * Resources that the reserved and the final form of an instance do not share: names, ports,
 * addresses, volumes, minors and node capacity.
 */
import type { Share, Snapshot } from "@ganeti-ts/config";
import { drbdMinors, drbdSecret, filledNicparams, newUuid, shareOf } from "@ganeti-ts/config";
import {
  type ClaimedSpace,
  type ClaimOf,
  type DiskObject,
  type DiskUuid,
  type ForthcomingDisk,
  type ForthcomingInstance,
  type ForthcomingNic,
  type Json,
  type NodeUuid,
  sameJson,
} from "@ganeti-ts/protocol";
import type { UnitContext } from "../../unit/unit.js";

/** An instance as it is or is going to be, with its disks in that form. */
export interface Form {
  readonly instance: ForthcomingInstance;
  readonly disks: readonly ForthcomingDisk[];
}

type Names = Pick<UnitContext, "now" | "config">;

/** Nodes of the form, its primary first. */
export const nodesOfForm = ({ instance, disks }: Form): readonly NodeUuid[] => [
  ...new Set([instance.primary_node ?? [], disks.flatMap(({ nodes }) => nodes)].flat()),
];

/** Parts of the form that must not be given to others meanwhile: name, port, addresses, networks, volumes, minors. */
export function namesBeyond(context: Names, form: Form, other: Form): ClaimOf<"commit">["names"] {
  const { name, network_port } = form.instance;
  const { random } = context.config;
  const disks = form.disks.flatMap((disk): ForthcomingDisk[] => {
    const known = other.disks.find(({ uuid }) => uuid === disk.uuid);
    if (known === undefined) return [weightless(disk)];
    if (sameJson(identityOf(known), identityOf(disk))) return [];
    const { serial_no: _, ctime: __, mtime: ___, ...rest } = weightless(disk);
    return [{ ...rest, uuid: newUuid<DiskUuid>(context.now, random) }];
  });
  const isNewPort = network_port !== undefined && network_port !== other.instance.network_port;
  return {
    ...(name === undefined || name === other.instance.name ? {} : { name }),
    ...(isNewPort ? { network_port } : {}),
    nics: nicsBeyond(context, form.instance, other.instance),
    disks,
  };
}

const identityOf = ({ dev_type, logical_id, children }: ForthcomingDisk): Json => [
  ...[dev_type ?? null, logical_id ?? null],
  ...children.map((child) => child.logical_id ?? null),
];

/** The disk with the names of its volumes and without their space. */
const weightless = ({ spindles: _, ...disk }: ForthcomingDisk): ForthcomingDisk => ({
  ...disk,
  size: 0,
  children: disk.children.map((child) => ({ ...child, size: 0 })),
});

function nicsBeyond(
  context: Names,
  instance: ForthcomingInstance,
  other: ForthcomingInstance,
): readonly ForthcomingNic[] {
  const { now } = context;
  const macs = new Set(other.nics.map(({ mac }) => mac));
  const addresses = new Set(other.nics.map((nic) => addressOf(now, other, nic)));
  const networks = new Set(other.nics.map(({ network }) => network));
  return instance.nics.flatMap((nic): ForthcomingNic[] => {
    const { mac, ip, network, nicparams = {} } = nic;
    const hasMac = mac !== undefined && !macs.has(mac);
    const hasIp = ip !== undefined && !addresses.has(addressOf(now, instance, nic));
    const hasNetwork = network !== undefined && !networks.has(network);
    if (!hasMac && !hasIp && !hasNetwork) return [];
    return [
      {
        uuid: newUuid(now, context.config.random),
        ...(hasMac ? { mac } : {}),
        // Whether an address must be unique depends on the link.
        ...(hasIp ? { ip, nicparams } : {}),
        ...(network === undefined ? {} : { network }),
      },
    ];
  });
}

/** An address must be unique within a network, or else on its link. */
function addressOf(
  now: Snapshot,
  instance: ForthcomingInstance,
  nic: ForthcomingNic,
): string | undefined {
  const { ip, network, nicparams = {} } = nic;
  if (ip === undefined) return undefined;
  if (network !== undefined) return `${network} ${ip}`;
  const { mode, link } = filledNicparams(now, instance, { ...nic, nicparams });
  return `${mode}:${link} ${ip}`;
}

export const shareOfForm = (now: Snapshot, { instance, disks }: Form, node: NodeUuid): Share =>
  shareOf(now, instance, node, disks);

/** The part of `share` that `other` does not cover. */
export const shareDifference = (share: Share, other: Share): Share => ({
  memoryMib: Math.max(0, share.memoryMib - other.memoryMib),
  vcpus: Math.max(0, share.vcpus - other.vcpus),
  spindleUse: Math.max(0, share.spindleUse - other.spindleUse),
  diskSpindles: Math.max(0, share.diskSpindles - other.diskSpindles),
  secondaryMemoryMib: Math.max(0, share.secondaryMemoryMib - other.secondaryMemoryMib),
  diskMib: Object.fromEntries(
    Object.entries(share.diskMib).map(([group, sizeMib]) => [
      group,
      Math.max(0, sizeMib - (other.diskMib[group] ?? 0)),
    ]),
  ),
});

/** That share of the node, to be claimed. */
export const spaceOfShare = (
  node: NodeUuid,
  { memoryMib, vcpus, spindleUse, diskMib, diskSpindles }: Share,
): ClaimedSpace => ({ node, memoryMib, vcpus, spindleUse, diskMib, diskSpindles });

/** A device of a disk that may still be on a node. */
export interface LeftDevice {
  readonly node: NodeUuid;
  readonly disk: Pick<DiskObject, "uuid" | "dev_type" | "logical_id">;
}

/**
 * New names for a reservation whose devices are left on nodes after a failed commit: what is removed under the former ones
 * at some time must never be what the reservation becomes.
 *
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
