/**
 * Placing an instance on a node and removing it again, with the changes of the node's row. Source: Ganeti,
 * HTools/Node.hs (`addPriEx`, `addSecEx`, `removePri`, `removeSec`).
 */
import type { Cluster } from "../model/cluster.js";
import { type IndexList, prepend, shorter, without } from "../model/index-list.js";
import { type Instance, spindlesAfter } from "../model/instance.js";
import { field, rowLength } from "../model/node-columns.js";
import { largestPeer, type PeerMap, peerMemory, withoutPeer, withPeer } from "../model/peer-map.js";
import { countPrimaryTags } from "../model/primary-tags.js";
import { memoryReservedFor, primaryMisfit, secondaryMisfit } from "./fitting.js";
import { fits, type Misfit } from "./misfit.js";

/**
 * Adds `instance` to `node` as a primary; changes nothing unless it fits.
 *
 * @param index index under which the node lists it: its own, or the one it will get
 * @param locationScore number of location tags its two nodes share
 */
// biome-ignore lint/complexity/useMaxParams: called for every candidate node, without making objects
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
  countPrimaryTags(cluster, instance, node, locationScore, 1);
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
  if (!instance.forthcoming)
    cluster.primaries[node] = taken(cluster, cluster.primaries[node], index);
  changePrimary(cluster, instance, node, -1);
  countPrimaryTags(cluster, instance, node, locationScore, -1);
}

/**
 * Adds `instance` to `node` as a secondary of `primary`; changes nothing unless it fits.
 *
 * @param ignoreDisk accepts it whatever disk is left, because its disks are there already: after a failure of
 * its primary the node becomes the secondary
 */
// biome-ignore lint/complexity/useMaxParams: called for every candidate node, without making objects
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
  cluster.secondaries[node] = taken(cluster, cluster.secondaries[node], index);
  const known = peers[node] as PeerMap;
  const before = peerMemory(known, primary);
  const left = before - memoryReservedFor(instance);
  const now = left > 0 ? withPeer(known, primary, left) : withoutPeer(known, primary);
  peers[node] = now;
  const reserved = rows[row + field.memoryReserved] as number;
  setReserved(rows, row, before < reserved ? reserved : largestPeer(now));
  rows[row + field.loadDisk] = (rows[row + field.loadDisk] as number) - instance.load.disk;
}

const taken = ({ keepsOnlyLengths }: Cluster, list: IndexList | undefined, index: number) =>
  keepsOnlyLengths ? shorter(list) : without(list, index);

/** Adds (`sign` 1) or removes (`sign` -1) the resources that a primary uses. */
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

/** Adds or removes disk and spindles, for primaries and secondaries. */
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

function setReserved(rows: Float64Array, row: number, reserved: number): void {
  rows[row + field.memoryReserved] = reserved;
  rows[row + field.failsN1] = (rows[row + field.memoryUnallocated] as number) <= reserved ? 1 : 0;
}
