/**
 * Adding an instance to a node and taking it off again: what is checked, in which order, and what
 * changes. Source: Ganeti, HTools/Node.hs (`addPriEx`, `addSecEx`, `removePri`, `removeSec`).
 *
 * Hard checks always hold. `force` skips the soft ones (policy ratios, N+1, tags, plans): for moves
 * away from offline nodes, for what-if tests, and where soft errors are to be ignored.
 * A node left with exactly 0 MiB of memory or disk counts as full.
 */
import { type Cluster, type Counts, field, rowLength } from "./cluster.js";
import { prepend, without } from "./index-list.js";
import type { Instance } from "./instance.js";
import { failCpu, failDisk, failMem, failSpindles, failTags, fits, type Misfit } from "./misfit.js";
import { largestPeer, type PeerMap, peerMemory, withoutPeer, withPeer } from "./peer-map.js";

/**
 * Puts `instance` on `node` as a primary; changes nothing unless it fits.
 *
 * @param index what to list it as (its own index, or the one it is going to have)
 * @param locationScore location tags its two nodes share
 */
export function addPrimary(
  cluster: Cluster,
  instance: Instance,
  index: number,
  node: number,
  force: boolean,
  locationScore: number,
): Misfit {
  const misfit = primaryMisfit(cluster, instance, node, force);
  if (misfit !== fits) return misfit;
  cluster.save(node);
  if (!instance.forthcoming) cluster.primaries[node] = prepend(index, cluster.primaries[node]);
  changePrimary(cluster, instance, node, 1);
  countPrimaryTags(cluster, instance, node, locationScore);
  return fits;
}

export function removePrimary(
  cluster: Cluster,
  instance: Instance,
  index: number,
  node: number,
  locationScore: number,
): void {
  cluster.save(node);
  if (!instance.forthcoming) cluster.primaries[node] = without(cluster.primaries[node], index);
  changePrimary(cluster, instance, node, -1);
  uncountPrimaryTags(cluster, instance, node, locationScore);
}

/**
 * Puts `instance` on `node` as a secondary of `primary`; changes nothing unless it fits.
 *
 * @param ignoreDisk lets it in whatever disk is left: its disks are there already, as after the
 *   failure of the node, which thereby becomes the secondary
 */
export function addSecondary(
  cluster: Cluster,
  instance: Instance,
  index: number,
  node: number,
  primary: number,
  force: boolean,
  ignoreDisk = false,
): Misfit {
  const misfit = secondaryMisfit(cluster, instance, node, primary, force, ignoreDisk);
  if (misfit !== fits) return misfit;
  cluster.save(node);
  const { rows, peers } = cluster;
  const row = node * rowLength;
  takeStorage(cluster, instance, node, 1);
  if (instance.forthcoming) return fits;
  cluster.secondaries[node] = prepend(index, cluster.secondaries[node]);
  const known = peers[node] as PeerMap;
  const needed = peerMemory(known, primary) + memoryReservedFor(instance);
  peers[node] = withPeer(known, primary, needed);
  const reserved = Math.max(rows[row + field.memoryReserved] as number, needed);
  setReserved(rows, row, reserved);
  rows[row + field.loadDisk] = (rows[row + field.loadDisk] as number) + instance.load.disk;
  return fits;
}

export function removeSecondary(
  cluster: Cluster,
  instance: Instance,
  index: number,
  node: number,
  primary: number,
): void {
  cluster.save(node);
  const { rows, peers } = cluster;
  const row = node * rowLength;
  takeStorage(cluster, instance, node, -1);
  if (instance.forthcoming) return;
  cluster.secondaries[node] = without(cluster.secondaries[node], index);
  const known = peers[node] as PeerMap;
  const before = peerMemory(known, primary);
  const left = before - memoryReservedFor(instance);
  const now = left > 0 ? withPeer(known, primary, left) : withoutPeer(known, primary);
  peers[node] = now;
  const reserved = rows[row + field.memoryReserved] as number;
  setReserved(rows, row, before < reserved ? reserved : largestPeer(now));
  rows[row + field.loadDisk] = (rows[row + field.loadDisk] as number) - instance.load.disk;
}

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
  const { rows } = cluster;
  const row = node * rowLength;
  const { local } = instance;
  const used = instance.usesMemory ? instance.memoryMib : 0;
  const memoryLeft = (rows[row + field.memoryUnallocated] as number) - used;
  if (memoryLeft <= 0) return failMem;
  if (local && (rows[row + field.diskFree] as number) - instance.diskMib <= 0) return failDisk;
  if (local && spindlesLeft(cluster, instance, node, field.spindlesFree) < 0) return failSpindles;
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
  const { rows } = cluster;
  const row = node * rowLength;
  const { local } = instance;
  if ((rows[row + field.memoryFreePlanned] as number) - instance.memoryMib <= 0) return failMem;
  if (local && (rows[row + field.diskFreePlanned] as number) - instance.diskMib <= 0)
    return failDisk;
  if (local && spindlesLeft(cluster, instance, node, field.spindlesFreePlanned) < 0) {
    return failSpindles;
  }
  if (local && exceedsSpindles(cluster, instance, node, field.spindlesUsedPlanned)) return failDisk;
  return exceedsVcpus(cluster, instance, node, field.vcpusUsedPlanned) ? failCpu : fits;
}

/** The first reason why `node` cannot be the secondary, in the order of the checks. */
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

function realSecondaryMisfit(
  cluster: Cluster,
  instance: Instance,
  node: number,
  primary: number,
  force: boolean,
  ignoreDisk: boolean,
): Misfit {
  const { rows } = cluster;
  const row = node * rowLength;
  if (instance.data.diskTemplate !== "drbd") return failDisk;
  const diskLeft = (rows[row + field.diskFree] as number) - instance.diskMib;
  if (!ignoreDisk && diskLeft <= 0) return failDisk;
  if (!force && diskLeft < 0) return failDisk;
  if (spindlesLeft(cluster, instance, node, field.spindlesFree) < 0) return failSpindles;
  if (force) return fits;
  if (exceedsSpindles(cluster, instance, node, field.spindlesUsed)) return failDisk;
  const memory = rows[row + field.memoryUnallocated] as number;
  const needed = memoryReservedFor(instance);
  if (needed >= memory) return failMem;
  const forPrimary = peerMemory(cluster.peers[node] as PeerMap, primary) + needed;
  const reserved = Math.max(rows[row + field.memoryReserved] as number, forPrimary);
  return memory <= reserved && rows[row + field.failsN1] === 0 ? failMem : fits;
}

function plannedSecondaryMisfit(cluster: Cluster, instance: Instance, node: number): Misfit {
  const { rows } = cluster;
  const row = node * rowLength;
  if (instance.data.diskTemplate !== "drbd") return failDisk;
  if ((rows[row + field.diskFreePlanned] as number) - instance.diskMib <= 0) return failDisk;
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

/** Adds (`sign` 1) or takes back (`sign` -1) what a primary costs. */
function changePrimary(cluster: Cluster, instance: Instance, node: number, sign: 1 | -1): void {
  const { rows } = cluster;
  const row = node * rowLength;
  const vcpus = instance.countsVcpus ? sign * instance.vcpus : 0;
  takeStorage(cluster, instance, node, sign);
  rows[row + field.memoryFreePlanned] =
    (rows[row + field.memoryFreePlanned] as number) - sign * instance.memoryMib;
  rows[row + field.vcpusUsedPlanned] = (rows[row + field.vcpusUsedPlanned] as number) + vcpus;
  if (instance.forthcoming) return;
  if (instance.usesMemory) {
    rows[row + field.memoryUnallocated] =
      (rows[row + field.memoryUnallocated] as number) - sign * instance.memoryMib;
  }
  rows[row + field.vcpusUsed] = (rows[row + field.vcpusUsed] as number) + vcpus;
  const { load } = instance;
  rows[row + field.loadCpu] = (rows[row + field.loadCpu] as number) + sign * load.cpu;
  rows[row + field.loadMemory] = (rows[row + field.loadMemory] as number) + sign * load.memory;
  rows[row + field.loadDisk] = (rows[row + field.loadDisk] as number) + sign * load.disk;
  rows[row + field.loadNetwork] = (rows[row + field.loadNetwork] as number) + sign * load.network;
  setReserved(rows, row, rows[row + field.memoryReserved] as number);
}

/** Disk and spindles, for a primary and a secondary alike. */
function takeStorage(cluster: Cluster, instance: Instance, node: number, sign: 1 | -1): void {
  const { rows, facts } = cluster;
  const row = node * rowLength;
  const exclusive = facts.exclusiveStorage[node] === 1;
  const disk = instance.local ? sign * instance.diskMib : 0;
  const use = instance.local ? sign * instance.spindleUse : 0;
  const change = (diskFree: number, spindlesFree: number, spindlesUsed: number) => {
    rows[row + diskFree] = (rows[row + diskFree] as number) - disk;
    const spindles = rows[row + spindlesFree] as number;
    rows[row + spindlesFree] = exclusive ? spindlesAfter(spindles, instance, sign) : 0;
    rows[row + spindlesUsed] = exclusive ? 0 : (rows[row + spindlesUsed] as number) + use;
  };
  change(field.diskFreePlanned, field.spindlesFreePlanned, field.spindlesUsedPlanned);
  if (!instance.forthcoming) change(field.diskFree, field.spindlesFree, field.spindlesUsed);
}

/** An unknown number leaves none; and is not given back, as nobody knows how many were taken. */
export function spindlesAfter(free: number, { spindles }: Instance, sign: 1 | -1): number {
  if (spindles === undefined) return sign > 0 ? -1 : free;
  return free - sign * spindles;
}

function setReserved(rows: Float64Array, row: number, reserved: number): void {
  rows[row + field.memoryReserved] = reserved;
  rows[row + field.failsN1] = (rows[row + field.memoryUnallocated] as number) <= reserved ? 1 : 0;
}

/** Counts the exclusion tags and locations of a primary. */
export function countPrimaryTags(
  cluster: Cluster,
  instance: Instance,
  node: number,
  locationScore: number,
): void {
  const { exclusionTags } = instance;
  if (exclusionTags.length > 0) {
    cluster.exclusionTags[node] = counted(cluster.exclusionTags[node] as Counts, exclusionTags);
    noteTagScore(cluster, node);
  }
  if (instance.forthcoming) return;
  if (locationScore > 0 || instance.desiredLocations.length > 0) {
    changeLocationScore(cluster, instance, node, locationScore, 1);
  }
  const pairs = locationPairs(cluster, instance, node);
  if (pairs.length > 0) {
    cluster.locationPairs[node] = counted(cluster.locationPairs[node] as Counts, pairs);
  }
}

function uncountPrimaryTags(
  cluster: Cluster,
  instance: Instance,
  node: number,
  locationScore: number,
): void {
  const { exclusionTags } = instance;
  if (exclusionTags.length > 0) {
    cluster.exclusionTags[node] = uncounted(cluster.exclusionTags[node] as Counts, exclusionTags);
    noteTagScore(cluster, node);
  }
  if (instance.forthcoming) return;
  if (locationScore > 0 || instance.desiredLocations.length > 0) {
    changeLocationScore(cluster, instance, node, locationScore, -1);
  }
  const pairs = locationPairs(cluster, instance, node);
  if (pairs.length > 0) {
    cluster.locationPairs[node] = uncounted(cluster.locationPairs[node] as Counts, pairs);
  }
}

function noteTagScore(cluster: Cluster, node: number): void {
  let score = 0;
  for (const count of (cluster.exclusionTags[node] as Counts).values()) score += count - 1;
  cluster.rows[node * rowLength + field.tagScore] = score;
}

function changeLocationScore(
  cluster: Cluster,
  instance: Instance,
  node: number,
  locationScore: number,
  sign: 1 | -1,
): void {
  const at = node * rowLength + field.locationScore;
  const missed = desiredLocationsMissed(cluster, instance, node);
  cluster.rows[at] = (cluster.rows[at] as number) + sign * (locationScore + missed);
}

/** Locations the instance would like its primary to have and `node` has not. */
function desiredLocationsMissed(cluster: Cluster, instance: Instance, node: number): number {
  if (instance.desiredLocations.length === 0) return 0;
  const locations = cluster.facts.locations[node] as readonly string[];
  return instance.desiredLocations.filter((tag) => !locations.includes(tag)).length;
}

function locationPairs(cluster: Cluster, instance: Instance, node: number): string[] {
  if (instance.exclusionTags.length === 0) return [];
  const locations = cluster.facts.locations[node] as readonly string[];
  return locations.flatMap((location) =>
    instance.exclusionTags.map((tag) => `${location}\n${tag}`),
  );
}

function counted(counts: Counts, keys: readonly string[]): Counts {
  const next = new Map(counts);
  for (const key of keys) next.set(key, (next.get(key) ?? 0) + 1);
  return next;
}

function uncounted(counts: Counts, keys: readonly string[]): Counts {
  const next = new Map(counts);
  for (const key of keys) {
    const count = next.get(key) ?? 0;
    if (count > 1) next.set(key, count - 1);
    else next.delete(key);
  }
  return next;
}
