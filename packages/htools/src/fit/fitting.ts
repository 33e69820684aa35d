/**
 * Checks whether a node can take an instance, in Ganeti's order; they report the first misfit. Source:
 * Ganeti, HTools/Node.hs (`addPriEx`, `addSecEx`).
 *
 * Hard checks always apply. `force` skips the soft ones (low disk, policy ratios, N+1, tags, plans): for
 * moves away from offline nodes, for what-if tests, and if soft errors are to be ignored. A node left with
 * exactly 0 MiB of memory or disk counts as full.
 */
import type { Cluster, Counts } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import { field, rowLength } from "../model/node-columns.js";
import { type PeerMap, peerMemory } from "../model/peer-map.js";
import { failCpu, failDisk, failMem, failSpindles, failTags, fits, type Misfit } from "./misfit.js";

/** The first reason why `node` cannot be the primary, in the order of the checks. */
export function primaryMisfit(
  cluster: Cluster,
  instance: Instance,
  node: number,
  force: boolean,
): Misfit {
  if (!instance.forthcoming) {
    const misfit = realPrimaryMisfit(cluster, instance, node, force);
    if (misfit !== fits) return misfit;
  }
  return force ? fits : plannedPrimaryMisfit(cluster, instance, node);
}

function realPrimaryMisfit(
  cluster: Cluster,
  instance: Instance,
  node: number,
  force: boolean,
): Misfit {
  const { rows, facts } = cluster;
  const row = node * rowLength;
  const { local } = instance;
  const used = instance.usesMemory ? instance.memoryMib : 0;
  const memoryLeft = (rows[row + field.memoryUnallocated] as number) - used;
  if (memoryLeft <= 0) return failMem;
  if (local) {
    const diskLeft = (rows[row + field.diskFree] as number) - instance.diskMib;
    if (diskLeft <= 0 || (!force && diskLeft < (facts.diskLow[node] as number))) return failDisk;
    if (spindlesLeft(cluster, instance, node, field.spindlesFree) < 0) return failSpindles;
  }
  if (force) return fits;
  if (local && exceedsSpindles(cluster, instance, node, field.spindlesUsed)) return failDisk;
  const failsN1 = memoryLeft <= (rows[row + field.memoryReserved] as number);
  if (failsN1 && rows[row + field.failsN1] === 0) return failMem;
  if (exceedsVcpus(cluster, instance, node, field.vcpusUsed)) return failCpu;
  const present = cluster.exclusionTags[node] as Counts;
  const clash = present.size > 0 && instance.exclusionTags.some((tag) => present.has(tag));
  return clash ? failTags : fits;
}

function plannedPrimaryMisfit(cluster: Cluster, instance: Instance, node: number): Misfit {
  const { rows, facts } = cluster;
  const row = node * rowLength;
  const { local } = instance;
  if ((rows[row + field.memoryFreePlanned] as number) - instance.memoryMib <= 0) return failMem;
  if (local) {
    const diskLeft = (rows[row + field.diskFreePlanned] as number) - instance.diskMib;
    if (diskLeft <= 0 || diskLeft < (facts.diskLow[node] as number)) return failDisk;
  }
  if (local && spindlesLeft(cluster, instance, node, field.spindlesFreePlanned) < 0) {
    return failSpindles;
  }
  if (local && exceedsSpindles(cluster, instance, node, field.spindlesUsedPlanned)) return failDisk;
  return exceedsVcpus(cluster, instance, node, field.vcpusUsedPlanned) ? failCpu : fits;
}

/** The first reason why `node` cannot be the secondary, in the order of the checks. */
// biome-ignore lint/complexity/useMaxParams: called for every candidate node, without making objects
export function secondaryMisfit(
  cluster: Cluster,
  instance: Instance,
  node: number,
  primary: number,
  force: boolean,
  ignoreDisk = false,
): Misfit {
  if (!instance.forthcoming) {
    const misfit = realSecondaryMisfit(cluster, instance, node, primary, force, ignoreDisk);
    if (misfit !== fits) return misfit;
  }
  return force ? fits : plannedSecondaryMisfit(cluster, instance, node);
}

// biome-ignore lint/complexity/useMaxParams: called for every candidate node, without making objects
function realSecondaryMisfit(
  cluster: Cluster,
  instance: Instance,
  node: number,
  primary: number,
  force: boolean,
  ignoreDisk: boolean,
): Misfit {
  const { rows, facts } = cluster;
  const row = node * rowLength;
  if (instance.data.diskTemplate !== "drbd") return failDisk;
  const diskLeft = (rows[row + field.diskFree] as number) - instance.diskMib;
  if (!ignoreDisk && diskLeft <= 0) return failDisk;
  if (!force && diskLeft < (facts.diskLow[node] as number)) return failDisk;
  if (spindlesLeft(cluster, instance, node, field.spindlesFree) < 0) return failSpindles;
  if (force) return fits;
  if (exceedsSpindles(cluster, instance, node, field.spindlesUsed)) return failDisk;
  const memory = rows[row + field.memoryUnallocated] as number;
  const needed = memoryReservedFor(instance);
  if (needed >= memory) return failMem;
  const known = primary < 0 ? 0 : peerMemory(cluster.peers[node] as PeerMap, primary);
  return reservationMisfit(cluster, node, known + needed);
}

/** Misfit of a node that would have to reserve `forOneMib` for the failure of one other node. */
export function reservationMisfit({ rows }: Cluster, node: number, forOneMib: number): Misfit {
  const row = node * rowLength;
  const reserved = Math.max(rows[row + field.memoryReserved] as number, forOneMib);
  const fails = (rows[row + field.memoryUnallocated] as number) <= reserved;
  return fails && rows[row + field.failsN1] === 0 ? failMem : fits;
}

function plannedSecondaryMisfit(cluster: Cluster, instance: Instance, node: number): Misfit {
  const { rows, facts } = cluster;
  const row = node * rowLength;
  if (instance.data.diskTemplate !== "drbd") return failDisk;
  const diskLeft = (rows[row + field.diskFreePlanned] as number) - instance.diskMib;
  if (diskLeft <= 0 || diskLeft < (facts.diskLow[node] as number)) return failDisk;
  if (spindlesLeft(cluster, instance, node, field.spindlesFreePlanned) < 0) return failSpindles;
  if (exceedsSpindles(cluster, instance, node, field.spindlesUsedPlanned)) return failDisk;
  const memory = rows[row + field.memoryFreePlanned] as number;
  return memoryReservedFor(instance) >= memory ? failMem : fits;
}

export const memoryReservedFor = (instance: Instance): number =>
  instance.reservesMemory ? instance.memoryMib : 0;

/** Free spindles after adding; below 0 is a misfit. Without exclusive storage there is no limit. */
function spindlesLeft(cluster: Cluster, instance: Instance, node: number, column: number): number {
  if (cluster.facts.exclusiveStorage[node] === 0) return 0;
  if (instance.spindles === undefined) return -1;
  return cluster.get(node, column) - instance.spindles;
}

function exceedsSpindles(
  cluster: Cluster,
  instance: Instance,
  node: number,
  column: number,
): boolean {
  const { exclusiveStorage, spindlesMax } = cluster.facts;
  const added = instance.local ? instance.spindleUse : 0;
  const after = exclusiveStorage[node] === 0 ? cluster.get(node, column) + added : 0;
  return after > (spindlesMax[node] as number);
}

function exceedsVcpus(cluster: Cluster, instance: Instance, node: number, column: number): boolean {
  const { vcpuRatio, cpuTotal } = cluster.facts;
  const added = instance.countsVcpus ? instance.vcpus : 0;
  const ratio = (cluster.get(node, column) + added) / (cpuTotal[node] as number);
  const limit = vcpuRatio[node] as number;
  return limit >= 0 && limit < ratio;
}
