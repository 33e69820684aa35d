/**
 * Kept cluster: a loaded cluster that follows changes of its data, instead of being loaded again for each request.
 */
import type { ClusterData, InstanceData } from "@ganeti-ts/protocol";
import type { Cluster } from "../model/cluster.js";
import {
  type At,
  type ClusterChange,
  changedData,
  hasInstances,
  spliced,
  splicedBytes,
} from "../model/cluster-change.js";
import { isBalanced } from "../model/disk-template.js";
import { toArray } from "../model/index-list.js";
import { makeInstance } from "../model/instance.js";
import { recountNode } from "../model/instance-counting.js";
import { InstanceRoll } from "../model/instance-roll.js";
import { type LoadOptions, loadCluster, nodeFacts } from "../model/load.js";
import type { NodeFacts } from "../model/node-columns.js";
import { nodeLists } from "../model/node-lists.js";
import { changedMargins, emptyingMargins } from "../n1/emptying-margins.js";
import { handScores, keepScores } from "../score/kept-scores.js";

/** Settings of a kept cluster; see `LoadOptions`. */
export type KeptOptions = Pick<LoadOptions, "staticKvmNodeMemoryMib">;

/**
 * A cluster that follows changes. Its `cluster` equals what `loadCluster` makes of the changed data, to the last
 * digit: the rows of nodes with changes are counted again in the order of instances, never updated by differences.
 *
 * Immutable: a change gives a new one, and clusters given out before stay as they are. With n nodes and m instances,
 * `withChange` costs O(members) for each node with changes, and a copy of the columns: O(n + m), a few ns each.
 */
export class KeptCluster {
  private constructor(
    readonly cluster: Cluster,
    private readonly forthcoming: Uint8Array,
    private readonly options: KeptOptions,
  ) {}

  /** Loads the cluster: O(nodes + instances). */
  static of(data: ClusterData, options: KeptOptions = {}): KeptCluster {
    const cluster = loadCluster(data, options);
    const forthcoming = new Uint8Array(cluster.instanceCount);
    for (const [index, instance] of data.instances.entries()) {
      forthcoming[index] = Number(instance.forthcoming);
    }
    cluster.emptyingMargins = emptyingMargins(cluster);
    keepScores(cluster);
    return new KeptCluster(cluster, forthcoming, options);
  }

  get data(): ClusterData {
    return this.cluster.data;
  }

  /** The cluster after a change. A node that changes its group costs a load. */
  withChange(change: ClusterChange): KeptCluster {
    const data = changedData(this.data, change);
    const movesNode = ({ index, data: node }: At<ClusterData["nodes"][number]>) =>
      node.groupIndex !== this.data.nodes[index]?.groupIndex;
    if (change.nodes?.some(movesNode)) return KeptCluster.of(data, this.options);
    const forthcoming = splicedBytes(this.forthcoming, change, ({ data }) =>
      Number(data.forthcoming),
    );
    const cluster = this.successor(data, change, forthcoming);
    const affected = affectedNodes(this.cluster, cluster, change);
    const planned = plannedByNode(cluster, forthcoming);
    for (const node of affected) recountNode(cluster, node, membersOf(cluster, planned, node));
    if (this.cluster.emptyingMargins !== undefined) {
      const nodes = new Set(affected);
      for (const node of affected)
        for (const peer of cluster.peers[node] ?? []) nodes.add(peer.node);
      cluster.emptyingMargins = changedMargins(cluster, this.cluster.emptyingMargins, nodes);
    }
    // Groups give all their nodes other limits.
    const differing = (change.groups?.length ?? 0) === 0 ? affected : undefined;
    handScores(this.cluster, cluster, differing);
    return new KeptCluster(cluster, forthcoming, this.options);
  }

  /** The cluster after a change, with rows as before. */
  private successor(data: ClusterData, change: ClusterChange, forthcoming: Uint8Array): Cluster {
    const before = this.cluster;
    const { tagRules } = before;
    const facts = changedFacts(before, data, change, this.options);
    const instances = spliced(before.instancesAsKept, change, ({ data, index }) =>
      makeInstance(data, index, tagRules),
    );
    const parts = {
      ...{ data, facts, tagRules },
      roll: InstanceRoll.unnumbered(instances),
      primaryOf: spliced(before.primaryOf, change, primaryOf),
      secondaryOf: spliced(before.secondaryOf, change, secondaryOf),
      // (a copy in any case: changed tags of nodes change it)
      locationScoreOf: spliced(before.locationScoreOf.slice(), change, () => 0),
    };
    const cluster = before.successor(parts);
    const canMove = ({ data: { diskTemplate, primary, secondary } }: At<InstanceData>) =>
      isBalanced(diskTemplate) &&
      (secondary < 0 || facts.groupOf[primary] === facts.groupOf[secondary]);
    cluster.movable = splicedBytes(before.movable, change, (one) => Number(canMove(one)));
    if (hasInstances(change)) {
      const { primaries, secondaries } = nodeLists(cluster.nodeCount, { ...parts, forthcoming });
      for (let node = 0; node < cluster.nodeCount; node++) {
        cluster.primaries[node] = primaries[node];
        cluster.secondaries[node] = secondaries[node];
      }
    }
    return cluster;
  }
}

const primaryOf = ({ data }: At<InstanceData>) => data.primary;
const secondaryOf = ({ data }: At<InstanceData>) => data.secondary;

/** The facts are copied, because earlier clusters share them. O(nodes) if nodes or groups change. */
function changedFacts(
  { facts: before, tagRules }: Cluster,
  data: ClusterData,
  { nodes = [], groups = [] }: ClusterChange,
  { staticKvmNodeMemoryMib = 4096 }: KeptOptions,
): NodeFacts {
  const facts = copiedFacts(before);
  const changed = new Set(nodes.map(({ index }) => index));
  const changedGroups = new Set(groups.map(({ index }) => index));
  if (changedGroups.size > 0) {
    for (const [index, { groupIndex }] of data.nodes.entries()) {
      if (changedGroups.has(groupIndex)) changed.add(index);
    }
  }
  const indices = [...changed];
  const nodeAt = (index: number) => data.nodes[index] as ClusterData["nodes"][number];
  const made = nodeFacts({ ...data, nodes: indices.map(nodeAt) }, tagRules, staticKvmNodeMemoryMib);
  const derived = new Set<string>(["memoryMissing", "memoryUsable", "diskMissing"]);
  for (const [key, column] of Object.entries(facts) as [keyof NodeFacts, unknown[]][]) {
    if (derived.has(key)) continue;
    for (const [i, index] of indices.entries()) column[index] = made[key][i];
  }
  return facts;
}

const copiedFacts = (facts: NodeFacts): NodeFacts =>
  Object.fromEntries(
    Object.entries(facts).map(([key, column]) => [key, column.slice()]),
  ) as unknown as NodeFacts;

/** Nodes whose rows a change affects. Sets the location scores of instances on the way. */
function affectedNodes(before: Cluster, after: Cluster, change: ClusterChange): Set<number> {
  const { removed = [], added = [], changed = [], nodes = [] } = change;
  const affected = new Set<number>();
  const addNodesOf = (cluster: Cluster, index: number) => {
    affected.add(cluster.primaryOf[index] as number);
    affected.add(cluster.secondaryOf[index] as number);
  };
  for (const index of removed) addNodesOf(before, index);
  const earlier = positionsBefore(change);
  for (const { index } of changed) addNodesOf(before, earlier(index));
  for (const { index } of [...added, ...changed]) {
    addNodesOf(after, index);
    noteLocationScore(after, index);
  }
  for (const { index: node } of nodes) {
    affected.add(node);
    if (before.facts.locations[node] === after.facts.locations[node]) continue;
    noteLocations(after, node, affected);
  }
  affected.delete(-1);
  return affected;
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

/** The position before a change, of an instance that stays. */
function positionsBefore({ removed = [], added = [] }: ClusterChange): (index: number) => number {
  const gone = removed.toSorted((a, b) => a - b);
  const come = added.map(({ index }) => index).sort((a, b) => a - b);
  return (index) => {
    let at = index - come.filter((other) => other < index).length;
    for (const other of gone) if (other <= at) at++;
    return at;
  };
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
