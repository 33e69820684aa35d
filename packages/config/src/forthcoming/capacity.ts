/** Capacity check of a node that respects the reservations of others. */
import type { InstanceUuid, NodeUuid } from "@ganeti-ts/protocol";
import { groupPolicy } from "../filling.js";
import type { Snapshot } from "../snapshot.js";
import type { Share } from "./reserved.js";
import { fileStorage, instancesOn, reservedOn, shareOf, shareOfClaim } from "./reserved.js";

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
