/** Whether a node can take something without taking it from those it is reserved for. */
import type { InstanceUuid, NodeUuid } from "@ganeti-ts/protocol";
import { filledBeparams, groupPolicy } from "../filling.js";
import type { Snapshot } from "../snapshot.js";
import { fileStorage, reservedOn } from "./reserved.js";

/** What a node says of itself now; what it does not say is not checked. Sizes in MiB. */
export interface NodeFigures {
  readonly memoryFreeMib?: number | undefined;
  /** By volume group; that of files by the empty name. */
  readonly diskFreeMib?: Readonly<Record<string, number>> | undefined;
  readonly cpuCount?: number | undefined;
  readonly spindleCount?: number | undefined;
  /** With exclusive storage. */
  readonly spindlesFree?: number | undefined;
}

/** What is to be taken of a node, beyond what is taken already. Sizes in MiB. */
export interface Wanted {
  readonly node: NodeUuid;
  /** As in `Not enough memory on node X for <reason>`: `creating instance web1`. */
  readonly reason: string;
  readonly memoryMib?: number;
  /** By volume group; that of files by the empty name. */
  readonly diskMib?: Readonly<Record<string, number>>;
  readonly vcpus?: number;
  readonly spindleUse?: number;
  readonly diskSpindles?: number;
  /** Whose share of the node this is about: their reservations do not stand against it. */
  readonly of?: readonly InstanceUuid[];
}

/**
 * Why not, in Ganeti's words; empty if it can. Figures given are already reduced by what is reserved
 * for others. Memory, disk space and exclusive spindles are counted as free by the node; vcpus and
 * spindle use are those of all instances there, limited by the group's ratios.
 * O(instances of the node * their disks).
 */
export function capacityFaults(
  now: Snapshot,
  figures: NodeFigures,
  wanted: Wanted,
): readonly string[] {
  const node = now.expectNode(wanted.node);
  const own = new Set(wanted.of);
  const reserved = reservedOn(now, wanted.node, own);
  const faults: string[] = [];
  const lacks = (what: string, needed: number, available: number, unit = "") => {
    faults.push(
      `Not enough ${what} on node ${node.name} for ${wanted.reason}: needed ${needed}${unit}, available ${available}${unit}`,
    );
  };
  const { memoryMib = 0, vcpus = 0, spindleUse = 0, diskSpindles = 0, diskMib = {} } = wanted;
  if (memoryMib > 0 && figures.memoryFreeMib !== undefined) {
    const available = figures.memoryFreeMib - reserved.memoryMib;
    if (memoryMib > available) lacks("memory", memoryMib, available, " MiB");
  }
  for (const [group, required] of Object.entries(diskMib)) {
    const free = figures.diskFreeMib?.[group];
    if (required <= 0 || free === undefined) continue;
    const available = free - (reserved.diskMib[group] ?? 0);
    if (required <= available) continue;
    const place = group === fileStorage ? "file storage" : `vg ${group}`;
    faults.push(
      `Not enough disk space on target node ${node.name} ${place}: required ${required} MiB, available ${available} MiB`,
    );
  }
  if (diskSpindles > 0 && figures.spindlesFree !== undefined) {
    const available = figures.spindlesFree - reserved.diskSpindles;
    if (diskSpindles > available) lacks("spindles", diskSpindles, available);
  }
  const group = now.group(node.group);
  if (group === undefined) return faults;
  const policy = groupPolicy(now, group);
  const used = usedOn(now, wanted.node, own);
  if (vcpus > 0 && figures.cpuCount !== undefined) {
    const available = Math.floor(policy["vcpu-ratio"] * figures.cpuCount) - used.vcpus;
    if (vcpus > available) lacks("vcpus", vcpus, available);
  }
  if (spindleUse > 0 && figures.spindleCount !== undefined) {
    const available = Math.floor(policy["spindle-ratio"] * figures.spindleCount) - used.spindleUse;
    if (spindleUse > available) lacks("spindle use", spindleUse, available);
  }
  return faults;
}

/** Of all instances whose primary the node is, real ones and those to come. */
function usedOn(now: Snapshot, node: NodeUuid, except: ReadonlySet<InstanceUuid>) {
  let [vcpus, spindleUse] = [0, 0];
  for (const instance of now.instancesOfNode(node).primary) {
    if (except.has(instance.uuid)) continue;
    const filled = filledBeparams(now, instance);
    vcpus += filled.vcpus;
    spindleUse += filled.spindle_use;
  }
  return { vcpus, spindleUse };
}
