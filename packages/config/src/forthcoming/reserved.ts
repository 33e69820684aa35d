/** Reserved resources of a node, those of forthcoming instances and of claims, and the capacity check that respects them. */
import {
  type ChildDisk,
  type Claim,
  type ClaimedSpace,
  type DiskObject,
  type InstanceObject,
  type InstanceUuid,
  type NodeUuid,
  usesLvm,
} from "@ganeti-ts/protocol";
import { filledBeparams, groupPolicy } from "../filling.js";
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
function instancesOn(now: Snapshot, node: NodeUuid): readonly InstanceObject[] {
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

/** Present figures reported by a node; missing ones are not checked. Sizes in MiB. */
export interface NodeFigures {
  readonly memoryFreeMib?: number | undefined;
  /** By volume group; file storage has the empty name. */
  readonly diskFreeMib?: Readonly<Record<string, number>> | undefined;
  readonly cpuCount?: number | undefined;
  readonly spindleCount?: number | undefined;
  /** Only with exclusive storage. */
  readonly spindlesFree?: number | undefined;
}

/** Additional resources to use on a node. Sizes in MiB. */
export interface Wanted {
  readonly node: NodeUuid;
  /** Reason in `Not enough memory on node X for <reason>`: `creating instance web1`. */
  readonly reason: string;
  readonly memoryMib?: number;
  /** By volume group; file storage has the empty name. */
  readonly diskMib?: Readonly<Record<string, number>>;
  readonly vcpus?: number;
  readonly spindleUse?: number;
  readonly diskSpindles?: number;
  /** Instances whose own reservations do not count against the request. */
  readonly of?: readonly InstanceUuid[];
}

/**
 * Resources of a node promised to others: reserved parts of resources that the node reports as free, and of
 * resources that policies limit over all instances of the node.
 */
type SpokenFor = Pick<Share, "memoryMib" | "diskMib" | "diskSpindles"> & Limited;

/** Vcpus of instances that are to run, spindle use of all. */
type Limited = Pick<Share, "vcpus" | "spindleUse">;

/**
 * Reasons against it, in Ganeti's words; empty if it fits. The given figures are reduced by the reservations
 * of others. Memory, disk space and exclusive spindles are limited by the node's free resources; vcpus and
 * spindle use by the group's ratios. O(1), plus the cost of `spoken` unless it is given.
 */
export function capacityFaults(
  now: Snapshot,
  figures: NodeFigures,
  wanted: Wanted,
  spoken: SpokenFor = spokenForOn(now, wanted.node, new Set(wanted.of)),
): readonly string[] {
  const node = now.expectNode(wanted.node);
  const faults: string[] = [];
  const lacks = (what: string, needed: number, available: number, unit = "") => {
    faults.push(
      `Not enough ${what} on node ${node.name} for ${wanted.reason}: needed ${needed}${unit}, available ${available}${unit}`,
    );
  };
  const { memoryMib = 0, vcpus = 0, spindleUse = 0, diskSpindles = 0, diskMib = {} } = wanted;
  if (memoryMib > 0 && figures.memoryFreeMib !== undefined) {
    const available = figures.memoryFreeMib - spoken.memoryMib;
    if (memoryMib > available) lacks("memory", memoryMib, available, " MiB");
  }
  for (const [group, required] of Object.entries(diskMib)) {
    const free = figures.diskFreeMib?.[group];
    if (required <= 0 || free === undefined) continue;
    const available = free - (spoken.diskMib[group] ?? 0);
    if (required <= available) continue;
    const place = group === fileStorage ? "file storage" : `vg ${group}`;
    faults.push(
      `Not enough disk space on target node ${node.name} ${place}: required ${required} MiB, available ${available} MiB`,
    );
  }
  if (diskSpindles > 0 && figures.spindlesFree !== undefined) {
    const available = figures.spindlesFree - spoken.diskSpindles;
    if (diskSpindles > available) lacks("spindles", diskSpindles, available);
  }
  const group = now.group(node.group);
  if (group === undefined) return faults;
  const policy = groupPolicy(now, group);
  if (vcpus > 0 && figures.cpuCount !== undefined) {
    const available = Math.floor(policy["vcpu-ratio"] * figures.cpuCount) - spoken.vcpus;
    if (vcpus > available) lacks("vcpus", vcpus, available);
  }
  if (spindleUse > 0 && figures.spindleCount !== undefined) {
    const available =
      Math.floor(policy["spindle-ratio"] * figures.spindleCount) - spoken.spindleUse;
    if (spindleUse > available) lacks("spindle use", spindleUse, available);
  }
  return faults;
}

/** O(instances of the node * their disks). */
const spokenForOn = (now: Snapshot, node: NodeUuid, except: ReadonlySet<string>): SpokenFor => ({
  ...reservedOn(now, node, except),
  ...limitedOn(now, node, except),
});

/**
 * vCPUs and spindles that real and reserved instances and claims use on a node, whose policy limits them. Cost: the
 * node's instances.
 */
export function limitedOn(now: Snapshot, node: NodeUuid, except: ReadonlySet<string>): Limited {
  let [vcpus, spindleUse] = [0, 0];
  for (const instance of instancesOn(now, node)) {
    if (except.has(instance.uuid)) continue;
    const share = shareOf(now, instance, node);
    if (instance.forthcoming || instance.admin_state === "up") vcpus += share.vcpus;
    spindleUse += share.spindleUse;
  }
  for (const claim of now.claimsOfNode(node)) {
    if (except.has(claim.uuid)) continue;
    const share = shareOfClaim(now, claim, node);
    vcpus += share.vcpus;
    spindleUse += share.spindleUse;
  }
  return { vcpus, spindleUse };
}
