/** Refusals of a node as the primary: the checks of `primaryMisfit`, in order, with their numbers. */
import type { Refusal } from "@ganeti-ts/protocol";
import { failCpu, failDisk, failMem, failSpindles, failTags } from "../fit/misfit.js";
import type { Cluster, Counts } from "../model/cluster.js";
import { toArray } from "../model/index-list.js";
import type { Instance } from "../model/instance.js";
import { field } from "../model/node-columns.js";
import type { Peer } from "../model/peer-map.js";
import { needs, nodeName, refusal, rounded, type Spot } from "./refusal.js";

export function primaryRefusal(
  cluster: Cluster,
  instance: Instance,
  node: number,
  force: boolean,
): Refusal | undefined {
  const spot: Spot = { cluster, node, role: "primary" };
  const real = instance.forthcoming ? undefined : realRefusal(spot, instance, force);
  return real ?? (force ? undefined : plannedRefusal(spot, instance));
}

function realRefusal(spot: Spot, instance: Instance, force: boolean): Refusal | undefined {
  const { cluster, node } = spot;
  const { local, diskMib } = instance;
  const memory = instance.usesMemory ? instance.memoryMib : 0;
  const free = cluster.get(node, field.memoryUnallocated);
  if (free - memory <= 0) return memoryRefusal(spot, memory, free, {});
  if (local) {
    const disk = cluster.get(node, field.diskFree);
    if (disk - diskMib <= 0) return diskRefusal(spot, diskMib, disk, {});
    const low = force ? undefined : lowDiskRefusal(spot, diskMib, disk, { soft: true });
    if (low) return low;
    const spindles = spindlesRefusal(spot, instance, field.spindlesFree, {});
    if (spindles) return spindles;
  }
  if (force) return undefined;
  if (local) {
    const use = spindleUseRefusal(spot, instance, field.spindlesUsed, {});
    if (use) return use;
  }
  const reserved = cluster.get(node, field.memoryReserved);
  if (free - memory <= reserved && cluster.get(node, field.failsN1) === 0) {
    return reservedRefusal(spot, memory, reserved, free);
  }
  return (
    vcpuRefusal(spot, instance, field.vcpusUsed, {}) ?? tagsRefusal(spot, instance) ?? undefined
  );
}

/** The same checks for resources that also count forthcoming instances. */
function plannedRefusal(spot: Spot, instance: Instance): Refusal | undefined {
  const { cluster, node } = spot;
  const { memoryMib, diskMib, local } = instance;
  const planned = { soft: true, planned: true };
  const free = cluster.get(node, field.memoryFreePlanned);
  if (free - memoryMib <= 0) return memoryRefusal(spot, memoryMib, free, planned);
  if (local) {
    const disk = cluster.get(node, field.diskFreePlanned);
    if (disk - diskMib <= 0) return diskRefusal(spot, diskMib, disk, planned);
    const found =
      lowDiskRefusal(spot, diskMib, disk, planned) ??
      spindlesRefusal(spot, instance, field.spindlesFreePlanned, planned) ??
      spindleUseRefusal(spot, instance, field.spindlesUsedPlanned, planned);
    if (found) return found;
  }
  return vcpuRefusal(spot, instance, field.vcpusUsedPlanned, planned);
}

interface Softness {
  readonly soft?: boolean;
  readonly planned?: boolean;
}

export const memoryRefusal = (spot: Spot, value: number, limit: number, softness: Softness) =>
  refusal(spot, {
    rule: failMem,
    check: "memory",
    unit: "MiB",
    value,
    limit,
    words: needs(value, "MiB", limit),
    ...softness,
  });

export const diskRefusal = (spot: Spot, value: number, limit: number, softness: Softness) =>
  refusal(spot, {
    rule: failDisk,
    check: "disk",
    unit: "MiB",
    value,
    limit,
    words: needs(value, "MiB", limit, "disk"),
    ...softness,
  });

/** The disk left would be below the share that must stay free. */
export function lowDiskRefusal(spot: Spot, value: number, free: number, softness: Softness) {
  const low = spot.cluster.facts.diskLow[spot.node] as number;
  return free - value < low ? diskRefusal(spot, value, free - low, softness) : undefined;
}

/** @param reserved memory reserved for the largest peer, including the newcomer if it is a secondary */
export function reservedRefusal(spot: Spot, own: number, reserved: number, free: number) {
  const { cluster, node } = spot;
  const [worst] = cluster.peers[node] as readonly Peer[];
  const peer =
    worst !== undefined && worst.mib === reserved ? ` of ${nodeName(cluster, worst.node)}` : "";
  const needed =
    own > 0
      ? `needs ${own} MiB beside ${reserved} MiB reserved for the failure${peer}`
      : `needs ${reserved} MiB for the failure${peer}`;
  const full = own + reserved === free ? ", and some must stay free" : "";
  return refusal(spot, {
    rule: failMem,
    check: "reserved-memory",
    soft: true,
    unit: "MiB",
    value: own + reserved,
    limit: free,
    words: `${needed || "needs memory"}, ${free} MiB free${full}`,
  });
}

/** With exclusive storage every disk has its own spindles. */
export function spindlesRefusal(
  spot: Spot,
  { spindles }: Instance,
  column: number,
  softness: Softness,
): Refusal | undefined {
  const { cluster, node } = spot;
  if (cluster.facts.exclusiveStorage[node] === 0) return undefined;
  const free = cluster.get(node, column);
  const base = { rule: failSpindles, check: "spindles", unit: "spindles", limit: free } as const;
  if (spindles === undefined) {
    const words = `its disks do not say how many spindles they need, ${free} spindles free`;
    return refusal(spot, { ...base, words, ...softness });
  }
  if (free - spindles >= 0) return undefined;
  const words = `needs ${spindles} spindles, ${free} spindles free`;
  return refusal(spot, { ...base, value: spindles, words, ...softness });
}

export function spindleUseRefusal(
  spot: Spot,
  instance: Instance,
  column: number,
  { planned = false }: Softness,
): Refusal | undefined {
  const { cluster, node } = spot;
  const { exclusiveStorage, spindlesMax, spindleTotal } = cluster.facts;
  const used = exclusiveStorage[node] === 0 ? cluster.get(node, column) : 0;
  const added = instance.local && exclusiveStorage[node] === 0 ? instance.spindleUse : 0;
  const limit = spindlesMax[node] as number;
  if (used + added <= limit || Number.isNaN(limit)) return undefined;
  const ratio = rounded(limit / (spindleTotal[node] as number));
  const most = `${rounded(limit)} allowed (${spindleTotal[node]} spindles, ratio ${ratio})`;
  return refusal(spot, {
    rule: failDisk,
    check: "spindle-use",
    soft: true,
    planned,
    unit: "spindle uses",
    value: used + added,
    limit,
    words: `needs ${added} spindle uses beside ${used}, ${most}`,
  });
}

function vcpuRefusal(
  spot: Spot,
  instance: Instance,
  column: number,
  { planned = false }: Softness,
): Refusal | undefined {
  const { cluster, node } = spot;
  const { vcpuRatio, cpuTotal } = cluster.facts;
  const used = cluster.get(node, column);
  const added = instance.countsVcpus ? instance.vcpus : 0;
  const cpus = cpuTotal[node] as number;
  const limit = vcpuRatio[node] as number;
  const value = (used + added) / cpus;
  if (!(limit >= 0 && limit < value)) return undefined;
  const words = `needs ${added} vcpus beside ${used} on ${cpus} CPUs, ratio ${rounded(value)}, ${rounded(limit)} allowed`;
  return refusal(spot, {
    rule: failCpu,
    check: "vcpus",
    soft: true,
    planned,
    unit: "vcpus per CPU",
    value,
    limit,
    words,
  });
}

function tagsRefusal(spot: Spot, instance: Instance): Refusal | undefined {
  const { cluster, node } = spot;
  const present = cluster.exclusionTags[node] as Counts;
  const clashing = [...new Set(instance.exclusionTags.filter((tag) => present.has(tag)))];
  const [first] = clashing;
  if (first === undefined) return undefined;
  const holders = clashing.map((tag) => holderOf(cluster, node, tag));
  const owners = clashing.map((tag, i) => `${tag}${holders[i] ? ` (${holders[i]})` : ""}`);
  const many = clashing.length > 1 ? "tags" : "tag";
  return refusal(spot, {
    rule: failTags,
    check: "exclusion-tags",
    soft: true,
    tags: clashing,
    instance: holders[0],
    words: `exclusion ${many} ${owners.join(", ")} already there`,
  });
}

/** An instance with the tag that is on the node, or forthcoming there. */
function holderOf(cluster: Cluster, node: number, tag: string): string | undefined {
  const has = (index: number) => cluster.instances[index]?.exclusionTags.includes(tag) === true;
  const listed = toArray(cluster.primaries[node]).find(has);
  const index =
    listed ?? cluster.instances.findIndex((_, at) => cluster.primaryOf[at] === node && has(at));
  return cluster.instances[index]?.data.name;
}
