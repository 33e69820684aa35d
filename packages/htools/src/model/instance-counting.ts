/**
 * Counting of instances on the nodes of a cluster while it is loaded; the nodes' rows are computed from the
 * counts.
 */
import type { ClusterData } from "@ganeti-ts/protocol";
import { type Cluster, noCounts } from "./cluster.js";
import { type IndexList, prepend } from "./index-list.js";
import { type Instance, spindlesAfter } from "./instance.js";
import type { InstanceTotals } from "./instance-totals.js";
import { field, rowLength } from "./node-columns.js";
import { largestPeer, type Peer, type PeerMap } from "./peer-map.js";
import { countPrimaryTags } from "./primary-tags.js";

/**
 * A cluster whose rows are being counted. A plain list, because it stores sums of small integers unboxed,
 * while reading a typed array allocates a number each time.
 */
interface Counting {
  readonly cluster: Cluster;
  /** In the layout of the cluster's rows, into which tags are counted directly. */
  readonly cells: number[];
  /** Position of the first cell in the cluster's rows. */
  readonly begin: number;
}

/** Columns counted in `cells`. */
const countedFields = Object.values(field).filter(
  (column) => column !== field.tagScore && column !== field.locationScore,
);

/** Counts these instances, one after the other, on the nodes of a cluster that is still empty. */
export function countInstances(cluster: Cluster, lists: readonly (readonly Instance[])[]): void {
  const counting = startCounting(cluster);
  for (const instances of lists) {
    instances.forEach((instance, index) => {
      countInstance(counting, instance, index);
    });
  }
  for (let node = 0; node < cluster.nodeCount; node++) {
    finishRow(counting, node, diskHeld(cluster, node), peersOf(cluster, node));
  }
}

/**
 * Counts the instances of one node again, as a fresh load does.
 * @param members indices of its instances in either role, forthcoming ones included, ascending
 */
export function recountNode(cluster: Cluster, node: number, members: readonly number[]): void {
  const begin = node * rowLength;
  cluster.rows.fill(0, begin, begin + rowLength);
  cluster.exclusionTags[node] = noCounts;
  cluster.locationPairs[node] = noCounts;
  cluster.primaries[node] = undefined;
  cluster.secondaries[node] = undefined;
  const counting: Counting = { cluster, cells: new Array(rowLength).fill(0), begin };
  startRow(counting, node);
  for (const index of members) {
    const instance = cluster.instanceAt(index);
    const isSecondary = cluster.secondaryOf[index] === node;
    if (isSecondary) countSecondary(counting, instance, index, node);
    else countPrimary(counting, instance, index, node);
  }
  finishRow(counting, node, diskHeld(cluster, node), peersOf(cluster, node));
}

/** Fills the rows from totals of all instances, each of which has this load. */
export function takeTotals(cluster: Cluster, totals: InstanceTotals, load: number): void {
  const counting = startCounting(cluster);
  for (let node = 0; node < cluster.nodeCount; node++) {
    takeRow(counting, totals, node, load);
    finishRow(counting, node, totals.diskHeld[node] as number, totals.peersOf(node));
  }
  cluster.movable = totals.movable;
  cluster.instanceTotals = totals;
}

function startCounting(cluster: Cluster): Counting {
  const counting: Counting = { cluster, cells: new Array(cluster.rows.length).fill(0), begin: 0 };
  for (let node = 0; node < cluster.nodeCount; node++) startRow(counting, node);
  return counting;
}

function takeRow(
  { cluster, cells, begin }: Counting,
  totals: InstanceTotals,
  node: number,
  load: number,
): void {
  const row = node * rowLength - begin;
  const vcpus = totals.vcpusUsed[node] as number;
  const spindles = totals.spindlesUsed[node] as number;
  const primaries = load * (totals.primaryCount[node] as number);
  const secondaries = load * (totals.secondaryCount[node] as number);
  add(cells, row + field.vcpusUsed, vcpus);
  add(cells, row + field.vcpusUsedPlanned, vcpus);
  add(cells, row + field.spindlesUsed, spindles);
  add(cells, row + field.spindlesUsedPlanned, spindles);
  add(cells, row + field.memoryUnallocated, totals.memoryUsed[node] as number);
  add(cells, row + field.memoryFreePlanned, -(totals.memoryIdle[node] as number));
  cells[row + field.loadCpu] = primaries;
  cells[row + field.loadMemory] = primaries;
  cells[row + field.loadDisk] = primaries + secondaries;
  cells[row + field.loadNetwork] = primaries;
  cluster.primaries[node] = totals.primariesOf(node);
  cluster.secondaries[node] = totals.secondariesOf(node);
}

/** Row of a node without instances; free disk and spindles already exclude real instances. */
function startRow({ cluster, cells, begin }: Counting, node: number): void {
  const data = cluster.data.nodes[node] as ClusterData["nodes"][number];
  const row = node * rowLength - begin;
  cells[row + field.memoryFreePlanned] = data.memoryFreeMib;
  cells[row + field.diskFree] = cells[row + field.diskFreePlanned] = data.diskFreeMib;
  cells[row + field.spindlesFree] = cells[row + field.spindlesFreePlanned] = data.spindleFree;
  cells[row + field.vcpusUsed] = cells[row + field.vcpusUsedPlanned] = data.cpuNode;
}

function add(cells: number[], at: number, amount: number): void {
  cells[at] = (cells[at] as number) + amount;
}

/** Counts an instance on its nodes, without checks: it is already there. */
function countInstance(counting: Counting, instance: Instance, index: number): void {
  const { cluster } = counting;
  const primary = cluster.primaryOf[index] as number;
  const secondary = cluster.secondaryOf[index] as number;
  if (secondary >= 0) cluster.locationScoreOf[index] = cluster.sharedLocations(primary, secondary);
  // An instance with one node in both roles counts only as a secondary, as in Ganeti.
  if (primary >= 0 && primary !== secondary) countPrimary(counting, instance, index, primary);
  if (secondary >= 0) countSecondary(counting, instance, index, secondary);
}

function countPrimary(counting: Counting, instance: Instance, index: number, node: number): void {
  const { cluster, cells, begin } = counting;
  const row = node * rowLength - begin;
  const vcpus = instance.countsVcpus ? instance.vcpus : 0;
  const spindles = spindlesCounted(cluster, instance, node);
  add(cells, row + field.vcpusUsedPlanned, vcpus);
  add(cells, row + field.spindlesUsedPlanned, spindles);
  if (!instance.usesMemory) add(cells, row + field.memoryFreePlanned, -instance.memoryMib);
  countPrimaryTags(cluster, instance, node, cluster.locationScoreOf[index] as number, 1);
  if (instance.forthcoming) {
    takePlannedStorage(counting, instance, node);
    return;
  }
  cluster.primaries[node] = prepend(index, cluster.primaries[node]);
  add(cells, row + field.vcpusUsed, vcpus);
  add(cells, row + field.spindlesUsed, spindles);
  // Until the row is finished this column holds the memory that the primaries use.
  if (instance.usesMemory) add(cells, row + field.memoryUnallocated, instance.memoryMib);
  add(cells, row + field.loadCpu, instance.load.cpu);
  add(cells, row + field.loadMemory, instance.load.memory);
  add(cells, row + field.loadDisk, instance.load.disk);
  add(cells, row + field.loadNetwork, instance.load.network);
}

function countSecondary(counting: Counting, instance: Instance, index: number, node: number): void {
  const { cluster, cells, begin } = counting;
  const row = node * rowLength - begin;
  const spindles = spindlesCounted(cluster, instance, node);
  add(cells, row + field.spindlesUsedPlanned, spindles);
  if (instance.forthcoming) {
    takePlannedStorage(counting, instance, node);
    return;
  }
  cluster.secondaries[node] = prepend(index, cluster.secondaries[node]);
  add(cells, row + field.spindlesUsed, spindles);
  add(cells, row + field.loadDisk, instance.load.disk);
}

/** Planned spindles count for every instance on exclusive storage, whatever its disks. */
function takePlannedStorage(
  { cluster, cells, begin }: Counting,
  instance: Instance,
  node: number,
): void {
  const row = node * rowLength - begin;
  if (instance.local) add(cells, row + field.diskFreePlanned, -instance.diskMib);
  if (cluster.facts.exclusiveStorage[node] === 0) return;
  const column = row + field.spindlesFreePlanned;
  cells[column] = spindlesAfter(cells[column] as number, instance, 1);
}

const spindlesCounted = (cluster: Cluster, instance: Instance, node: number): number =>
  instance.local && cluster.facts.exclusiveStorage[node] === 0 ? instance.spindleUse : 0;

/** Converts memory in use into memory left, and checks whether the largest peer fits into it. */
function finishRow(
  { cluster, cells, begin }: Counting,
  node: number,
  diskHeldMib: number,
  peers: PeerMap,
): void {
  const { rows, facts } = cluster;
  const data = cluster.data.nodes[node] as ClusterData["nodes"][number];
  const row = node * rowLength;
  for (const column of countedFields) rows[row + column] = cells[row - begin + column] as number;
  const inUse = cells[row - begin + field.memoryUnallocated] as number;
  const total = Math.trunc(facts.memoryTotal[node] as number);
  const own = facts.memoryNode[node] as number;
  const missing = total - own - inUse - data.memoryFreeMib;
  facts.memoryMissing[node] = missing;
  facts.memoryUsable[node] = total - own - Math.max(0, missing);
  rows[row + field.memoryUnallocated] = (facts.memoryUsable[node] as number) - inUse;
  facts.diskMissing[node] = Math.trunc(data.diskTotalMib) - data.diskFreeMib - diskHeldMib;
  cluster.peers[node] = peers;
  const reserved = largestPeer(peers);
  rows[row + field.memoryReserved] = reserved;
  rows[row + field.failsN1] = data.memoryFreeMib < reserved ? 1 : 0;
}

/** The order is as if the secondaries had been counted one by one, the newest last. */
function peersOf(cluster: Cluster, node: number): PeerMap {
  const { primaryOf } = cluster;
  // A node has few peers: searching them linearly takes less time than a map.
  const primaries: number[] = [];
  const mibs: number[] = [];
  for (let at = cluster.secondaries[node]; at !== undefined; at = at.rest) {
    const primary = primaryOf[at.index] as number;
    const { reservesMemory, memoryMib } = cluster.instanceAt(at.index);
    const reserved = reservesMemory ? memoryMib : 0;
    const known = primaries.indexOf(primary);
    if (known >= 0) mibs[known] = (mibs[known] as number) + reserved;
    else {
      primaries.push(primary);
      mibs.push(reserved);
    }
  }
  const peers = primaries.map((primary, i): Peer => ({ node: primary, mib: mibs[i] as number }));
  return peers.sort((a, b) => b.mib - a.mib);
}

function diskHeld(cluster: Cluster, node: number): number {
  return diskOf(cluster, cluster.primaries[node]) + diskOf(cluster, cluster.secondaries[node]);
}

function diskOf(cluster: Cluster, list: IndexList | undefined): number {
  let diskMib = 0;
  for (let at = list; at !== undefined; at = at.rest) {
    diskMib += cluster.instanceAt(at.index).diskMib;
  }
  return diskMib;
}
