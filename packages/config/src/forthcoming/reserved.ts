/** Reserved resources of a node: those of forthcoming instances and of claims. */
import {
  type ChildDisk,
  type Claim,
  type ClaimedSpace,
  type DiskObject,
  type InstanceObject,
  type NodeUuid,
  usesLvm,
} from "@ganeti-ts/protocol";
import { filledBeparams } from "../filling.js";
import type { Snapshot } from "../snapshot.js";

/** Resources that an instance uses on a node. Sizes in MiB. */
export interface Share {
  /** On its primary node. */
  readonly memoryMib: number;
  readonly vcpus: number;
  /** For disks in volumes, on both nodes. */
  readonly spindleUse: number;
  /** Disk space by volume group; file storage has the empty name. */
  readonly diskMib: Readonly<Record<string, number>>;
  /** Spindles of disks, with exclusive storage. */
  readonly diskSpindles: number;
  /** Memory on nodes with a copy of its disks: the amount a failover would use. */
  readonly secondaryMemoryMib: number;
}

/** Sum over all forthcoming instances and claims of a node. */
export type Reserved = Share;

/** Metadata of a drbd disk, on both nodes. */
export const drbdMetaMib = 128;

/** Key of file storage among volume groups. */
export const fileStorage = "";

/**
 * Missing values of a placed instance count with their filled defaults; without a primary node it uses
 * nothing. `disks`: its disks, if they are not in the configuration. O(its disks).
 */
export function shareOf(
  now: Snapshot,
  instance: InstanceObject,
  node: NodeUuid,
  disks: readonly DiskObject[] = now.disksOf(instance),
): Share {
  const filled = filledBeparams(now, instance);
  const isPrimary = instance.primary_node === node;
  const there = disks.filter(({ nodes }) => nodes.includes(node));
  const hasVolumes = there.some(({ dev_type }) => usesLvm(dev_type));
  return {
    memoryMib: isPrimary ? filled.maxmem : 0,
    vcpus: isPrimary ? filled.vcpus : 0,
    spindleUse: hasVolumes ? filled.spindle_use : 0,
    secondaryMemoryMib: there.length > 0 && !isPrimary ? filled.maxmem : 0,
    ...storageOf(now, there),
  };
}

/** Space and spindles of disks on one of their nodes. */
function storageOf(
  now: Snapshot,
  disks: readonly DiskObject[],
): Pick<Share, "diskMib" | "diskSpindles"> {
  const diskMib: Record<string, number> = {};
  for (const disk of disks) addSpace(diskMib, spaceOf(now, disk));
  return { diskMib, diskSpindles: disks.reduce((sum, { spindles = 0 }) => sum + spindles, 0) };
}

/** Resources that a claim holds on a node. O(its disks). */
export function shareOfClaim(now: Snapshot, claim: Claim, node: NodeUuid): Share {
  switch (claim.kind) {
    case "creation":
      return shareOf(now, claim.instance, node, claim.disks);
    case "commit":
      return sumOfShares(claim.spaces.filter((one) => one.node === node).map(shareOfSpace));
    case "space": {
      const disks = claim.disks.filter(({ nodes }) => nodes.includes(node));
      const own = claim.node === node ? [shareOfSpace(claim)] : [];
      return sumOfShares([...own, { ...nothing, ...storageOf(now, disks) }]);
    }
    case "removal":
    case "export":
    case "recreation":
      return nothing;
  }
}

const nothing: Share = {
  ...{ memoryMib: 0, vcpus: 0, spindleUse: 0 },
  ...{ diskMib: {}, diskSpindles: 0, secondaryMemoryMib: 0 },
};

const shareOfSpace = ({
  memoryMib,
  vcpus,
  spindleUse,
  diskMib,
  diskSpindles,
}: Omit<ClaimedSpace, "node">): Share => ({
  ...{ memoryMib, vcpus, spindleUse, diskMib, diskSpindles },
  secondaryMemoryMib: 0,
});

/**
 * Sums over the node's forthcoming instances and claims, without those of `except`. O(forthcoming instances and claims
 * of the node * their disks).
 */
export const reservedOn = (
  now: Snapshot,
  node: NodeUuid,
  except: ReadonlySet<string> = new Set(),
): Reserved =>
  sumOfShares([
    ...now
      .forthcomingOfNode(node)
      .filter(({ uuid }) => !except.has(uuid))
      .map((instance) => shareOf(now, instance, node)),
    ...now
      .claimsOfNode(node)
      .filter(({ uuid }) => !except.has(uuid))
      .map((claim) => shareOfClaim(now, claim, node)),
  ]);

/** Instances with their primary node or a copy of their disks there. */
export function instancesOn(now: Snapshot, node: NodeUuid): readonly InstanceObject[] {
  const { primary, secondary } = now.instancesOfNode(node);
  return [...new Set([...primary, ...secondary])];
}

/** The sum of what several instances take of a node. */
export function sumOfShares(shares: Iterable<Share>): Share {
  let [memoryMib, vcpus, spindleUse, diskSpindles, secondaryMemoryMib] = [0, 0, 0, 0, 0];
  const diskMib: Record<string, number> = {};
  for (const share of shares) {
    memoryMib += share.memoryMib;
    vcpus += share.vcpus;
    spindleUse += share.spindleUse;
    diskSpindles += share.diskSpindles;
    secondaryMemoryMib += share.secondaryMemoryMib;
    addSpace(diskMib, share.diskMib);
  }
  return { memoryMib, vcpus, spindleUse, diskMib, diskSpindles, secondaryMemoryMib };
}

function addSpace(sum: Record<string, number>, space: Readonly<Record<string, number>>): void {
  for (const [group, sizeMib] of Object.entries(space)) sum[group] = (sum[group] ?? 0) + sizeMib;
}

/** Space that a disk uses on each of its nodes, in MiB by volume group; file storage has the empty name. */
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
    case "sharedfile":
    case "blockdev":
    case "rbd":
    case "ext":
    case "gluster":
      return {};
  }
}

function groupOf({ logical_id }: DiskObject | ChildDisk): string | undefined {
  const group = logical_id?.[0];
  return typeof group === "string" ? group : undefined;
}
