/** Loads a cluster: derives every node's row from what the input tells. Cost: O(nodes + instances). */
import { type ClusterData, quotedList } from "@ganeti-ts/protocol";
import { Cluster, field, type NodeFacts, rowLength } from "./cluster.js";
import { splitInstances } from "./cluster-views.js";
import { DataError } from "./data-error.js";
import { isBalanced } from "./disk-template.js";
import { findName } from "./find-name.js";
import { type IndexList, prepend } from "./index-list.js";
import { type Instance, type Load, makeInstance, unitLoad, zeroLoad } from "./instance.js";
import { largestPeer, type Peer, type PeerMap } from "./peer-map.js";
import { spindlesAfter } from "./placing.js";
import { countPrimaryTags } from "./primary-tags.js";
import { TagRules } from "./tag-rules.js";

export interface LoadOptions {
  /** Memory of the node's own system on KVM, in MiB; 0 or less takes the reported value. Default 4096. */
  readonly staticKvmNodeMemoryMib?: number;
  /** Counts every instance's load as 0 instead of 1. */
  readonly ignoreUtilisation?: boolean;
  /**
   * Cluster tags by which the tags of instances to be placed are understood, if not by the cluster's
   * own: those of the message that a request came in, when it is answered on another cluster.
   */
  readonly requestTags?: readonly string[];
  /** Measured loads by full instance name, in place of 1; of unknown and repeated names ignored. */
  readonly utilisation?: ReadonlyMap<string, Load>;
  /** Instance tags that begin with one of these and a colon keep instances apart. */
  readonly exclusionPrefixes?: readonly string[];
  /** Instances that may be moved, as `findName` understands them; none: all. */
  readonly selectInstances?: readonly string[];
  /** Instances that may not be moved. */
  readonly excludeInstances?: readonly string[];
  /**
   * The input was loaded once already, without these options, and its nodes hold every instance a
   * second time: so do Ganeti's programs with the cluster of an allocator message (`-I`).
   */
  readonly seatedBefore?: boolean;
}

/**
 * Throws a DataError that names the selected and excluded instances that nobody is called, or several.
 * Source: Ganeti, HTools/Loader.hs (merge and check steps).
 */
export function loadCluster(data: ClusterData, options: LoadOptions = {}): Cluster {
  const prefixes = options.exclusionPrefixes?.map((prefix) => `${prefix}:`);
  const tagRules = new TagRules(data.tags, prefixes);
  const loadOf = loads(data, options);
  const instances = data.instances.map((instance, index) =>
    makeInstance(instance, index, tagRules, loadOf(instance.name)),
  );
  const facts = nodeFacts(data, tagRules, options.staticKvmNodeMemoryMib ?? 4096);
  const cluster = new Cluster(
    data,
    facts,
    tagRules,
    commonSuffixLength(data),
    instances,
    data.instances.map(({ primary }) => primary),
    data.instances.map(({ secondary }) => secondary),
    data.instances.map(() => 0),
  );
  if (options.requestTags) cluster.newcomerTagRules = new TagRules(options.requestTags);
  const seating: Seating = { cluster, cells: new Array(cluster.rows.length).fill(0) };
  for (let node = 0; node < cluster.nodeCount; node++) startRow(seating, node);
  if (options.seatedBefore) {
    const usual = new TagRules(data.tags);
    const before = data.instances.map((instance, index) => makeInstance(instance, index, usual));
    for (const instance of before) seat(seating, instance, instance.index);
    cluster.listsTwice = true;
  }
  instances.forEach((instance, index) => {
    seat(seating, instance, index);
  });
  for (let node = 0; node < cluster.nodeCount; node++) finishRow(seating, node);
  setMovable(cluster, options);
  return cluster;
}

/** The load of an instance by its name; a measured one only where the name is nobody else's. */
function loads(
  { instances }: ClusterData,
  { ignoreUtilisation, utilisation }: LoadOptions,
): (name: string) => Load {
  if (ignoreUtilisation) return () => zeroLoad;
  if (utilisation === undefined || utilisation.size === 0) return () => unitLoad;
  const repeated = new Set<string>();
  const seen = new Set<string>();
  for (const { name } of instances) {
    if (seen.has(name)) repeated.add(name);
    seen.add(name);
  }
  return (name) => (repeated.has(name) ? unitLoad : (utilisation.get(name) ?? unitLoad));
}

function setMovable(cluster: Cluster, options: LoadOptions): void {
  const { selected, excluded } = chosenInstances(cluster.data, options);
  const split = new Set(splitInstances(cluster));
  cluster.instances.forEach(({ data }, index) => {
    const mayMove =
      isBalanced(data.diskTemplate) &&
      !excluded.has(data.name) &&
      (selected.size === 0 || selected.has(data.name)) &&
      !split.has(index);
    cluster.movable[index] = Number(mayMove);
  });
}

/** Full names. */
function chosenInstances({ instances }: ClusterData, options: LoadOptions) {
  const { selectInstances = [], excludeInstances = [] } = options;
  if (selectInstances.length + excludeInstances.length === 0) {
    return { selected: new Set<string>(), excluded: new Set<string>() };
  }
  const names = instances.map(({ name }) => name);
  const unknown: string[] = [];
  const find = (keys: readonly string[]) =>
    new Set(
      keys.flatMap((key) => {
        const found = findName(names, key);
        if (found === undefined) unknown.push(key);
        return found ?? [];
      }),
    );
  const selected = find(selectInstances);
  const excluded = find(excludeInstances);
  if (unknown.length > 0) throw new DataError(`Unknown instance(s): ${quotedList(unknown)}`);
  return { selected, excluded };
}

function nodeFacts(data: ClusterData, tagRules: TagRules, staticMemoryMib: number): NodeFacts {
  const { nodes, groups } = data;
  const column = (value: (index: number) => number) => fill(new Float64Array(nodes.length), value);
  const nodeAt = (index: number) => nodes[index] as (typeof nodes)[number];
  const policyOf = (index: number) =>
    (groups[nodeAt(index).groupIndex] as (typeof groups)[number]).policy;
  const isStatic = data.hypervisor === "kvm" && staticMemoryMib > 0;
  const migrationTags = nodes.map(({ tags }) => tagRules.migrationTags(tags));
  return {
    groupOf: fill(new Int32Array(nodes.length), (index) => nodeAt(index).groupIndex),
    offline: fill(new Uint8Array(nodes.length), (index) => Number(nodeAt(index).offline)),
    exclusiveStorage: fill(new Uint8Array(nodes.length), (index) =>
      Number(nodeAt(index).exclusiveStorage),
    ),
    memoryTotal: column((index) => nodeAt(index).memoryTotalMib),
    memoryNode: column((index) => (isStatic ? staticMemoryMib : nodeAt(index).memoryNodeMib)),
    memoryMissing: new Float64Array(nodes.length),
    memoryUsable: new Float64Array(nodes.length),
    diskTotal: column((index) => nodeAt(index).diskTotalMib),
    diskLow: new Float64Array(nodes.length),
    cpuTotal: column((index) => nodeAt(index).cpuTotal),
    cpuSpeed: column((index) => nodeAt(index).cpuSpeed),
    spindleTotal: column((index) => nodeAt(index).spindleTotal),
    spindlesMax: column((index) => policyOf(index).spindleRatio * nodeAt(index).spindleTotal),
    vcpuRatio: column((index) => policyOf(index).vcpuRatio),
    locations: nodes.map(({ tags }) => tagRules.locations(tags)),
    migrationTags,
    receivableTags: migrationTags.map((tags) => tagRules.receivableTags(tags)),
  };
}

/**
 * A cluster whose rows are being counted. In a list, because sums of whole numbers are then kept as
 * they are, while reading a typed array gives each time a number to be thrown away.
 */
interface Seating {
  readonly cluster: Cluster;
  /** As the cluster's rows; what tags come to is in those. */
  readonly cells: number[];
}

/** What is counted in cells. */
const countedFields = Object.values(field).filter(
  (column) => column !== field.tagScore && column !== field.locationScore,
);

/** A node as if it held nothing; free disk and spindles already exclude real instances. */
function startRow({ cluster, cells }: Seating, node: number): void {
  const data = cluster.data.nodes[node] as ClusterData["nodes"][number];
  const row = node * rowLength;
  cells[row + field.memoryFreePlanned] = data.memoryFreeMib;
  cells[row + field.diskFree] = cells[row + field.diskFreePlanned] = data.diskFreeMib;
  cells[row + field.spindlesFree] = cells[row + field.spindlesFreePlanned] = data.spindleFree;
  cells[row + field.vcpusUsed] = cells[row + field.vcpusUsedPlanned] = data.cpuNode;
}

function add(cells: number[], at: number, amount: number): void {
  cells[at] = (cells[at] as number) + amount;
}

/** Counts an instance on its nodes, without any check: it is there. */
function seat(seating: Seating, instance: Instance, index: number): void {
  const { cluster } = seating;
  const primary = cluster.primaryOf[index] as number;
  const secondary = cluster.secondaryOf[index] as number;
  if (secondary >= 0) cluster.locationScoreOf[index] = cluster.sharedLocations(primary, secondary);
  // Twice on one node, it counts there as a secondary alone; so it does in Ganeti.
  if (primary >= 0 && primary !== secondary) seatPrimary(seating, instance, index, primary);
  if (secondary >= 0) seatSecondary(seating, instance, index, secondary);
}

function seatPrimary(seating: Seating, instance: Instance, index: number, node: number): void {
  const { cluster, cells } = seating;
  const row = node * rowLength;
  const vcpus = instance.countsVcpus ? instance.vcpus : 0;
  const spindles = spindlesCounted(cluster, instance, node);
  add(cells, row + field.vcpusUsedPlanned, vcpus);
  add(cells, row + field.spindlesUsedPlanned, spindles);
  if (!instance.usesMemory) add(cells, row + field.memoryFreePlanned, -instance.memoryMib);
  countPrimaryTags(cluster, instance, node, cluster.locationScoreOf[index] as number, 1);
  if (instance.forthcoming) {
    takePlannedStorage(seating, instance, node);
    return;
  }
  cluster.primaries[node] = prepend(index, cluster.primaries[node]);
  add(cells, row + field.vcpusUsed, vcpus);
  add(cells, row + field.spindlesUsed, spindles);
  // Until the row is finished this column holds what the primaries use.
  if (instance.usesMemory) add(cells, row + field.memoryUnallocated, instance.memoryMib);
  add(cells, row + field.loadCpu, instance.load.cpu);
  add(cells, row + field.loadMemory, instance.load.memory);
  add(cells, row + field.loadDisk, instance.load.disk);
  add(cells, row + field.loadNetwork, instance.load.network);
}

function seatSecondary(seating: Seating, instance: Instance, index: number, node: number): void {
  const { cluster, cells } = seating;
  const row = node * rowLength;
  const spindles = spindlesCounted(cluster, instance, node);
  add(cells, row + field.spindlesUsedPlanned, spindles);
  if (instance.forthcoming) {
    takePlannedStorage(seating, instance, node);
    return;
  }
  cluster.secondaries[node] = prepend(index, cluster.secondaries[node]);
  add(cells, row + field.spindlesUsed, spindles);
  add(cells, row + field.loadDisk, instance.load.disk);
}

/** Spindles are planned for every instance on exclusive storage, whatever its disks. */
function takePlannedStorage({ cluster, cells }: Seating, instance: Instance, node: number): void {
  const row = node * rowLength;
  if (instance.local) add(cells, row + field.diskFreePlanned, -instance.diskMib);
  if (cluster.facts.exclusiveStorage[node] === 0) return;
  const column = row + field.spindlesFreePlanned;
  cells[column] = spindlesAfter(cells[column] as number, instance, 1);
}

const spindlesCounted = (cluster: Cluster, instance: Instance, node: number): number =>
  instance.local && cluster.facts.exclusiveStorage[node] === 0 ? instance.spindleUse : 0;

/** Turns the memory in use into the memory left, and sees whether the worst peer fits into it. */
function finishRow({ cluster, cells }: Seating, node: number): void {
  const { rows, facts } = cluster;
  const data = cluster.data.nodes[node] as ClusterData["nodes"][number];
  const row = node * rowLength;
  for (const column of countedFields) rows[row + column] = cells[row + column] as number;
  const inUse = cells[row + field.memoryUnallocated] as number;
  const total = Math.trunc(facts.memoryTotal[node] as number);
  const own = facts.memoryNode[node] as number;
  const missing = total - own - inUse - data.memoryFreeMib;
  facts.memoryMissing[node] = missing;
  facts.memoryUsable[node] = total - own - Math.max(0, missing);
  rows[row + field.memoryUnallocated] = (facts.memoryUsable[node] as number) - inUse;
  const peers = peersOf(cluster, node);
  cluster.peers[node] = peers;
  const reserved = largestPeer(peers);
  rows[row + field.memoryReserved] = reserved;
  rows[row + field.failsN1] = data.memoryFreeMib < reserved ? 1 : 0;
}

/** The order is as if the secondaries had been counted one by one, the newest last. */
function peersOf(cluster: Cluster, node: number): PeerMap {
  const { primaryOf, instances } = cluster;
  // A node has few peers: to look through them takes less than a map would.
  const primaries: number[] = [];
  const mibs: number[] = [];
  for (let at = cluster.secondaries[node]; at !== undefined; at = at.rest) {
    const primary = primaryOf[at.index] as number;
    const { reservesMemory, memoryMib } = instances[at.index] as Instance;
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

/** Length of the longest suffix, beginning with a dot, that all node and instance names end in. */
function commonSuffixLength({ nodes, instances }: ClusterData): number {
  const first = nodes[0]?.name ?? instances[0]?.name ?? "";
  const endsAllNames = (suffix: string) =>
    nodes.every(({ name }) => name.endsWith(suffix)) &&
    instances.every(({ name }) => name.endsWith(suffix));
  for (let at = first.indexOf("."); at >= 0; at = first.indexOf(".", at + 1)) {
    if (endsAllNames(first.slice(at))) return first.length - at;
  }
  return 0;
}

/** Where memory or disk that nobody accounts for is worth a warning; last node first. */
export function clusterWarnings(cluster: Cluster): string[] {
  const warnings: string[] = [];
  for (let node = cluster.nodeCount - 1; node >= 0; node--) {
    const data = cluster.data.nodes[node] as ClusterData["nodes"][number];
    const disk =
      diskOf(cluster, cluster.primaries[node]) + diskOf(cluster, cluster.secondaries[node]);
    const diskMissing = Math.trunc(data.diskTotalMib) - data.diskFreeMib - disk;
    const memoryMissing = cluster.facts.memoryMissing[node] as number;
    if (memoryMissing <= 512 && diskMissing <= 1024) continue;
    const gib = Math.floor(diskMissing / 1024);
    warnings.push(`node ${data.name} is missing ${memoryMissing} MB ram and ${gib} GB disk`);
  }
  return warnings;
}

function diskOf({ instances }: Cluster, list: IndexList | undefined): number {
  let diskMib = 0;
  for (let at = list; at !== undefined; at = at.rest) {
    diskMib += (instances[at.index] as Instance).diskMib;
  }
  return diskMib;
}

function fill<T extends Float64Array | Int32Array | Uint8Array>(
  column: T,
  value: (index: number) => number,
): T {
  for (let index = 0; index < column.length; index++) column[index] = value(index);
  return column;
}
