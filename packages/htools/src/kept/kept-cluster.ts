/**
 * Kept cluster: a loaded cluster that follows changes of its data, instead of being loaded again for each request.
 */
import type { ClusterData, InstanceData } from "@ganeti-ts/protocol";
import { type Cluster, copiedData } from "../model/cluster.js";
import {
  type At,
  type ClusterChange,
  changedData,
  hasInstances,
  oppositeChange,
  positionsBefore,
  replace,
  splice,
  splicedBytes,
} from "../model/cluster-change.js";
import { isBalanced } from "../model/disk-template.js";
import { toArray } from "../model/index-list.js";
import { type Instance, makeInstance } from "../model/instance.js";
import { recountNode } from "../model/instance-counting.js";
import { kvmNodeMemoryMib, type LoadOptions, loadCluster, nodeFacts } from "../model/load.js";
import { copiedFacts, type NodeFacts } from "../model/node-columns.js";
import { NodeLists } from "../model/node-lists.js";
import { changeMargins, emptyingMargins } from "../n1/emptying-margins.js";
import { handScores, keepScores } from "../score/kept-scores.js";

/** Settings of a kept cluster; see `LoadOptions`. */
type KeptOptions = Pick<LoadOptions, "staticKvmNodeMemoryMib">;

/** A version of a kept cluster. */
interface Version {
  readonly cluster: Cluster;
  readonly forthcoming: Uint8Array;
  /** Whether nothing else has the lists of the cluster, so that they may be changed in place. */
  readonly isOwn: boolean;
}

/**
 * A cluster that follows changes. Its `cluster` equals what `loadCluster` makes of the changed data, to the last
 * digit: the rows of nodes with changes are counted again in the order of instances, never updated by differences.
 *
 * A change gives a new version, which takes over the state: `withChange` costs O(members) for each node with changes,
 * and, with m instances, O(m) to shift positions (a few ns each), but no copies. Earlier versions stay usable; reading
 * one loads it again from its data: O(nodes + instances).
 */
export class KeptCluster {
  /** Undefined: superseded, and not loaded again. */
  private version: Version | undefined;
  /** The version after this one, and the change that leads back. */
  private later: { readonly kept: KeptCluster; readonly back: ClusterChange } | undefined;

  private constructor(
    version: Version,
    private readonly options: KeptOptions,
  ) {
    this.version = version;
  }

  /** Loads the cluster: O(nodes + instances). */
  static of(data: ClusterData, options: KeptOptions = {}): KeptCluster {
    return new KeptCluster(loadVersion(data, options), options);
  }

  /** The cluster of this version, to be read again after `withChange`. */
  get cluster(): Cluster {
    return this.now.cluster;
  }

  /** The data of this version, in lists that do not change. O(nodes + instances). */
  get data(): ClusterData {
    const changes: ClusterChange[] = [];
    let version = this.version;
    for (let next = this.later; version === undefined && next !== undefined; ) {
      changes.push(next.back);
      version = next.kept.version;
      next = next.kept.later;
    }
    const { cluster, isOwn } = version as Version;
    const data = isOwn ? copiedData(cluster.data) : cluster.data;
    return changes.reduceRight(changedData, data);
  }

  private get now(): Version {
    this.version ??= loadVersion(this.data, this.options);
    return this.version;
  }

  /** A version of its own, whose changes leave this one as it is. O(nodes + instances). */
  branch(): KeptCluster {
    const { cluster, forthcoming } = this.now;
    return new KeptCluster({ cluster: ownCopy(cluster), forthcoming, isOwn: true }, this.options);
  }

  /** The cluster after a change. A node that changes its group costs a load. */
  withChange(change: ClusterChange): KeptCluster {
    const { cluster, forthcoming, isOwn } = this.now;
    const movesNode = ({ index, data: node }: At<ClusterData["nodes"][number]>) =>
      node.groupIndex !== cluster.data.nodes[index]?.groupIndex;
    if (change.nodes?.some(movesNode)) {
      return KeptCluster.of(changedData(this.data, change), this.options);
    }
    const back = isOwn ? oppositeChange(cluster.data, change) : undefined;
    const before = isOwn ? cluster : ownCopy(cluster);
    const version = changedVersion(before, forthcoming, change, this.options);
    // Groups give all their nodes other limits.
    const sameLimits = (change.groups?.length ?? 0) === 0;
    handMargins(before, version, sameLimits);
    handScores(cluster, version.cluster, sameLimits ? version.affected : undefined);
    const kept = new KeptCluster(version, this.options);
    if (back !== undefined) {
      this.later = { kept, back };
      this.version = undefined;
    }
    return kept;
  }
}

function loadVersion(data: ClusterData, options: KeptOptions): Version {
  const cluster = loadCluster(data, options);
  const forthcoming = new Uint8Array(cluster.instanceCount);
  for (const [index, instance] of data.instances.entries()) {
    forthcoming[index] = Number(instance.forthcoming);
  }
  cluster.emptyingMargins = emptyingMargins(cluster);
  keepScores(cluster);
  return { cluster, forthcoming, isOwn: false };
}

/** A copy that shares no lists with others. */
function ownCopy(cluster: Cluster): Cluster {
  const copy = cluster.copy(copiedFacts(cluster.facts));
  const { emptyingMargins } = copy;
  const own = copy.successor(copiedData(cluster.data));
  own.emptyingMargins = emptyingMargins;
  return own;
}

interface ChangedVersion extends Version {
  /** Nodes whose rows were counted again. */
  readonly affected: ReadonlySet<number>;
}

/** @param before whose state the result takes over */
function changedVersion(
  before: Cluster,
  planned: Uint8Array,
  change: ClusterChange,
  options: KeptOptions,
): ChangedVersion {
  const { nodes = [], groups = [] } = change;
  const data = before.data as Lists;
  const made = changedFacts(before, change, options);
  const affected = nodesBefore(before, change);
  const relocated = nodes.filter(({ index }, i) => {
    const [now, then] = [made.facts.locations[i], before.facts.locations[index]];
    return JSON.stringify(now) !== JSON.stringify(then);
  });
  replace(data.groups, groups);
  replace(data.nodes, nodes);
  splice(data.instances, change, (one) => one.data);
  enterFacts(before, made);
  const forthcoming = splicedBytes(planned, change, (one) => Number(one.data.forthcoming));
  const cluster = changedCluster(before, change, [planned, forthcoming]);
  noteNodesAfter(cluster, change, affected);
  for (const { index } of relocated) noteLocations(cluster, index, affected);
  affected.delete(-1);
  const reserved = plannedByNode(cluster, forthcoming);
  for (const node of affected) {
    recountNode(cluster, node, membersOf(cluster, reserved, node));
    // Counting lists the instances again.
    cluster.nodeLists?.show(node);
  }
  return { cluster, forthcoming, isOwn: true, affected };
}

/** The lists of data that a kept cluster changes in place. */
interface Lists extends ClusterData {
  readonly groups: ClusterData["groups"][number][];
  readonly nodes: ClusterData["nodes"][number][];
  readonly instances: InstanceData[];
}

function handMargins(
  before: Cluster,
  { cluster, affected }: ChangedVersion,
  sameLimits: boolean,
): void {
  const margins = before.emptyingMargins;
  if (margins === undefined) return;
  if (!sameLimits) {
    cluster.emptyingMargins = emptyingMargins(cluster);
    return;
  }
  changeMargins(cluster, margins, affected);
  cluster.emptyingMargins = margins;
}

/**
 * The cluster after a change of its instances, with rows as before.
 * @param planned forthcoming instances before and after the change
 */
function changedCluster(
  before: Cluster,
  change: ClusterChange,
  [planned, forthcoming]: readonly [before: Uint8Array, after: Uint8Array],
): Cluster {
  const { tagRules, facts } = before;
  const cluster = before.successor(before.data);
  if (!hasInstances(change)) return cluster;
  const relist = cluster.nodeLists?.change(change, cluster, planned);
  const instances = cluster.instancesAsKept as Instance[];
  splice(instances, change, ({ data, index }) => makeInstance(data, index, tagRules));
  splice(cluster.primaryOf, change, ({ data }) => data.primary);
  splice(cluster.secondaryOf, change, ({ data }) => data.secondary);
  splice(cluster.locationScoreOf, change, () => 0);
  const canMove = ({ data: { diskTemplate, primary, secondary } }: At<InstanceData>) =>
    isBalanced(diskTemplate) &&
    (secondary < 0 || facts.groupOf[primary] === facts.groupOf[secondary]);
  cluster.movable = splicedBytes(before.movable, change, (one) => Number(canMove(one)));
  const { primaries, secondaries } = cluster;
  cluster.nodeLists =
    relist?.(cluster, forthcoming) ??
    new NodeLists({ primaries, secondaries }, cluster, forthcoming);
  return cluster;
}

/** New facts of the nodes at these positions, which change or whose group does. O(nodes) if groups change. */
interface ChangedFacts {
  readonly indices: readonly number[];
  readonly facts: NodeFacts;
}

function changedFacts(
  { data, tagRules }: Cluster,
  { nodes = [], groups = [] }: ClusterChange,
  { staticKvmNodeMemoryMib = kvmNodeMemoryMib }: KeptOptions,
): ChangedFacts {
  const nodesNow = new Map(nodes.map((one) => [one.index, one.data]));
  const groupsNow = data.groups.slice();
  replace(groupsNow, groups);
  const changedGroups = new Set(groups.map(({ index }) => index));
  if (changedGroups.size > 0) {
    for (const [index, node] of data.nodes.entries()) {
      if (changedGroups.has(node.groupIndex) && !nodesNow.has(index)) nodesNow.set(index, node);
    }
  }
  const now = { ...data, groups: groupsNow, nodes: [...nodesNow.values()] };
  return {
    indices: [...nodesNow.keys()],
    facts: nodeFacts(now, tagRules, staticKvmNodeMemoryMib),
  };
}

/** Columns that counting sets. */
const derivedFacts = new Set<string>(["memoryMissing", "memoryUsable", "diskMissing"]);

function enterFacts({ facts }: Cluster, made: ChangedFacts): void {
  for (const [key, column] of Object.entries(facts) as [keyof NodeFacts, unknown[]][]) {
    if (derivedFacts.has(key)) continue;
    for (const [i, index] of made.indices.entries()) column[index] = made.facts[key][i];
  }
}

/** Nodes that a change affects as they are before it: those with changes, and those of instances that leave. */
function nodesBefore(before: Cluster, change: ClusterChange): Set<number> {
  const { removed = [], changed = [], nodes = [] } = change;
  const affected = new Set(nodes.map(({ index }) => index));
  const earlier = positionsBefore(change);
  for (const index of [...removed, ...changed.map((one) => earlier(one.index))]) {
    affected.add(before.primaryOf[index] as number);
    affected.add(before.secondaryOf[index] as number);
  }
  return affected;
}

/** Adds the nodes of instances that come, and sets their location scores. */
function noteNodesAfter(
  after: Cluster,
  { added = [], changed = [] }: ClusterChange,
  affected: Set<number>,
): void {
  for (const { index } of [...added, ...changed]) {
    affected.add(after.primaryOf[index] as number);
    affected.add(after.secondaryOf[index] as number);
    noteLocationScore(after, index);
  }
}

/** Locations of a node count for the primaries of all instances on it. */
function noteLocations(cluster: Cluster, node: number, affected: Set<number>): void {
  for (let index = 0; index < cluster.primaryOf.length; index++) {
    const primary = cluster.primaryOf[index] as number;
    if (primary !== node && cluster.secondaryOf[index] !== node) continue;
    noteLocationScore(cluster, index);
    affected.add(primary);
  }
}

function noteLocationScore(cluster: Cluster, index: number): void {
  const secondary = cluster.secondaryOf[index] as number;
  cluster.locationScoreOf[index] =
    secondary >= 0 ? cluster.sharedLocations(cluster.primaryOf[index] as number, secondary) : 0;
}

/** Forthcoming instances by node, which nodes do not list, ascending. */
function plannedByNode(
  { primaryOf, secondaryOf }: Cluster,
  forthcoming: Uint8Array,
): ReadonlyMap<number, readonly number[]> {
  const planned = new Map<number, number[]>();
  const note = (node: number, index: number) => {
    const known = planned.get(node);
    if (known === undefined) planned.set(node, [index]);
    else known.push(index);
  };
  for (let index = forthcoming.indexOf(1); index >= 0; index = forthcoming.indexOf(1, index + 1)) {
    const [primary, secondary] = [primaryOf[index] as number, secondaryOf[index] as number];
    note(primary, index);
    if (secondary !== primary) note(secondary, index);
  }
  return planned;
}

function membersOf(
  cluster: Cluster,
  planned: ReadonlyMap<number, readonly number[]>,
  node: number,
): number[] {
  return [
    ...toArray(cluster.primaries[node]),
    ...toArray(cluster.secondaries[node]),
    ...(planned.get(node) ?? []),
  ].sort((a, b) => a - b);
}
