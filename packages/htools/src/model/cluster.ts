/**
 * Loaded cluster: fixed facts of its nodes, and their current state (rows of numbers and short lists per
 * node, changed by placing and removing instances).
 *
 * Every change is journaled: `mark()` before a trial, `rollback(mark)` to undo it. A candidate thus costs the
 * two or three rows it touches, never a copy of the cluster.
 */
import type { ClusterData } from "@ganeti-ts/protocol";
import { copiedMargins, type EmptyingMargins } from "./emptying-margins.js";
import type { IndexList } from "./index-list.js";
import type { Instance } from "./instance.js";
import { type Demand, InstanceRoll } from "./instance-roll.js";
import type { InstanceTotals } from "./instance-totals.js";
import { copiedFacts, type NodeFacts, rowLength } from "./node-columns.js";
import type { NodeLists } from "./node-lists.js";
import type { PeerMap } from "./peer-map.js";
import type { TagRules } from "./tag-rules.js";

/** Number of occurrences of each key; immutable. */
export type Counts = ReadonlyMap<string, number>;
export const noCounts: Counts = new Map();

/** Parts of a cluster before its instances are counted on its nodes; lists by instance index. */
export interface ClusterParts {
  readonly data: ClusterData;
  readonly facts: NodeFacts;
  readonly tagRules: TagRules;
  readonly roll: InstanceRoll;
  readonly primaryOf: number[];
  readonly secondaryOf: number[];
  /** Location tags shared by an instance's two nodes. */
  readonly locationScoreOf: number[];
}

/**
 * A loaded cluster: node state in columns, instances by index. Placement functions work on it or on its
 * `copy()`.
 */
export class Cluster {
  readonly data: ClusterData;
  readonly facts: NodeFacts;
  readonly tagRules: TagRules;
  readonly primaryOf: number[];
  readonly secondaryOf: number[];
  /** Location tags shared by an instance's two nodes. */
  readonly locationScoreOf: number[];
  private readonly roll: InstanceRoll;
  readonly nodeCount: number;
  readonly rows: Float64Array;
  readonly primaries: (IndexList | undefined)[];
  readonly secondaries: (IndexList | undefined)[];
  readonly peers: PeerMap[];
  /** Exclusion tags of the primaries, forthcoming ones included. */
  readonly exclusionTags: Counts[];
  /** Pairs of a location tag of the node and an exclusion tag of a real primary. */
  readonly locationPairs: Counts[];
  /** Nodes by group, in index order. */
  readonly nodesByGroup: readonly (readonly number[])[];

  /** Nodes to show in dumps and tables, in order: after a request, those it considered. */
  shownNodes: readonly number[];
  /**
   * By index, 1 for instances that balancing may move: their template can be moved, they are not excluded,
   * and both nodes are in one group. Instances enlisted later have no entry.
   */
  movable: Uint8Array;
  /**
   * Nodes list every instance twice (see `LoadOptions.instancesCountedTwice`), so closed forms do not apply.
   */
  listsTwice: boolean;
  /**
   * While true, removing an instance from a node keeps only the length of the node's lists. For trials that
   * are rolled back and do not read the lists, because copying long lists is most of their cost.
   */
  keepsOnlyLengths = false;
  /** Totals counted by the kernel while loading; undefined without the kernel, and after the first change. */
  instanceTotals: InstanceTotals | undefined;
  /** Margins of emptying nodes, kept by `KeptCluster`; undefined otherwise, and after the first change. */
  emptyingMargins: EmptyingMargins | undefined;
  /** Lists of a kept cluster, which changes them in place; undefined for all others. */
  nodeLists: NodeLists | undefined;
  /** Interpretation of the tags of instances still to be placed. */
  newcomerTagRules: TagRules;

  private journalLength = 0;
  private readonly journalNodes: number[] = [];
  private readonly journalLists: (IndexList | undefined)[] = [];
  private readonly journalPeers: PeerMap[] = [];
  private readonly journalCounts: Counts[] = [];
  private journalRows = new Float64Array(16 * rowLength);

  /** Whether a later version of a kept cluster has taken over the state of this one, which is then of no use. */
  private isSuperseded = false;

  /**
   * @param from a cluster whose state the new one gets; without it, no instance is counted yet
   * @param takesOver the state itself and not a copy of it: `from` is of no use afterwards
   */
  constructor(parts: ClusterParts, from?: Cluster, takesOver = false) {
    const { data, facts, tagRules, roll, primaryOf, secondaryOf, locationScoreOf } = parts;
    this.data = data;
    this.facts = facts;
    this.tagRules = tagRules;
    this.roll = roll;
    this.primaryOf = primaryOf;
    this.secondaryOf = secondaryOf;
    this.locationScoreOf = locationScoreOf;
    this.nodeCount = data.nodes.length;
    const perNode = <T>(value: T): T[] => Array.from({ length: this.nodeCount }, () => value);
    const taken = <T>(list: T[]): T[] => (takesOver ? list : list.slice());
    if (from === undefined) this.rows = new Float64Array(this.nodeCount * rowLength);
    else this.rows = takesOver ? from.rows : from.rows.slice();
    this.nodeLists = takesOver ? from?.nodeLists : undefined;
    const frozen = takesOver
      ? undefined
      : from?.nodeLists?.frozen(from.primaries, from.secondaries);
    this.primaries = frozen?.primaries ?? (from ? taken(from.primaries) : perNode(undefined));
    this.secondaries = frozen?.secondaries ?? (from ? taken(from.secondaries) : perNode(undefined));
    this.peers = from ? taken(from.peers) : perNode<PeerMap>([]);
    this.exclusionTags = from ? taken(from.exclusionTags) : perNode(noCounts);
    this.locationPairs = from ? taken(from.locationPairs) : perNode(noCounts);
    this.nodesByGroup = from ? from.nodesByGroup : groupNodes(data, facts);
    this.shownNodes = from ? from.shownNodes : data.nodes.map((_, index) => index);
    this.newcomerTagRules = from ? from.newcomerTagRules : tagRules;
    this.listsTwice = from ? from.listsTwice : false;
    this.instanceTotals = from?.journalLength === 0 ? from.instanceTotals : undefined;
    const margins = from?.journalLength === 0 ? from.emptyingMargins : undefined;
    this.emptyingMargins = takesOver ? margins : margins && copiedMargins(margins);
    this.movable = from ? from.movable : new Uint8Array(roll.count);
    this.shownInstancesKnown = from?.shownInstancesKnown;
    this.isKept = takesOver;
    if (from !== undefined) from.isSuperseded = takesOver;
  }

  /** Whether data and facts are those of a kept cluster, which changes them in place. */
  private readonly isKept: boolean;

  /** @throws Error if this is an earlier version of a kept cluster */
  checkCurrent(): void {
    if (this.isSuperseded)
      throw new Error("This cluster has changed; read it from its KeptCluster");
  }

  /**
   * An independent cluster in the same state.
   * @param facts shared with this cluster unless others are given
   */
  copy(facts?: NodeFacts): Cluster {
    this.checkCurrent();
    const { tagRules } = this;
    const parts = {
      data: this.isKept ? copiedData(this.data) : this.data,
      facts: facts ?? (this.isKept ? copiedFacts(this.facts) : this.facts),
      tagRules,
      roll: this.roll.copy(),
      primaryOf: this.primaryOf.slice(),
      secondaryOf: this.secondaryOf.slice(),
      locationScoreOf: this.locationScoreOf.slice(),
    };
    return new Cluster(parts, this);
  }

  /**
   * A cluster with other data, which takes over the state of this one; its nodes' lists and rows must then be made to
   * match. For `KeptCluster`.
   */
  successor(data: ClusterData): Cluster {
    this.checkCurrent();
    const { facts, tagRules, primaryOf, secondaryOf, locationScoreOf } = this;
    const roll = InstanceRoll.unnumbered(this.roll.asKept as Instance[]);
    const parts = { data, facts, tagRules, roll, primaryOf, secondaryOf, locationScoreOf };
    const cluster = new Cluster(parts, this, true);
    cluster.forgetTotals();
    cluster.shownInstancesKnown = undefined;
    return cluster;
  }

  /** Instances to show in dumps and tables, in order: all, unless a request or a program says otherwise. */
  get shownInstances(): readonly number[] {
    this.shownInstancesKnown ??= this.primaryOf.map((_, index) => index);
    return this.shownInstancesKnown;
  }

  set shownInstances(shown: readonly number[]) {
    this.shownInstancesKnown = shown;
  }
  private shownInstancesKnown: readonly number[] | undefined;

  /** All instances; the index of one may be out of date. */
  get instancesAsKept(): readonly Instance[] {
    return this.roll.asKept;
  }

  get instances(): Instance[] {
    return this.roll.all;
  }

  /** One instance, without materialising all if the cluster is kept (`KeptCluster`). */
  instanceAt(index: number): Instance {
    return this.roll.at(index);
  }

  /** Resources an instance requires, without materialising all instances. */
  demandOf(index: number): Demand {
    return this.roll.demandOf(index);
  }

  get instanceCount(): number {
    return this.roll.count;
  }

  /** Number of characters in the suffix common to all names, which short names omit. */
  get commonSuffixLength(): number {
    this.suffixLength ??= commonSuffixLength(this.data);
    return this.suffixLength;
  }
  private suffixLength: number | undefined;

  get(node: number, column: number): number {
    return this.rows[node * rowLength + column] as number;
  }

  /** Writes outside the journal: for measurements, not for placements. */
  set(node: number, column: number, value: number): void {
    this.rows[node * rowLength + column] = value;
  }

  /** Adds an instance to the cluster's list, but not to its nodes. Returns its index. */
  enlist(instance: Instance, primary: number, secondary: number, locationScore: number): number {
    const index = this.instanceCount;
    // New instances are not shown unless a request says so.
    this.shownInstancesKnown = this.shownInstances;
    this.roll.push(instance);
    this.relocateEntry(index, primary, secondary, locationScore);
    return index;
  }

  /** Removes the last instances from the list; `rollback` removes them from their nodes. */
  delist(count: number): void {
    for (let i = 0; i < count; i++) {
      this.instances.pop();
      this.primaryOf.pop();
      this.secondaryOf.pop();
      this.locationScoreOf.pop();
    }
  }

  /** Records the new nodes of an instance; the nodes' own rows are changed separately. */
  relocateEntry(index: number, primary: number, secondary: number, locationScore: number): void {
    this.forgetTotals();
    this.primaryOf[index] = primary;
    this.secondaryOf[index] = secondary;
    this.locationScoreOf[index] = locationScore;
  }

  mark(): number {
    return this.journalLength;
  }

  /** Saves a node's row and lists in the journal; to be called before changing any of them. */
  save(node: number): void {
    const at = this.journalLength++;
    if ((at + 1) * rowLength > this.journalRows.length) {
      const larger = new Float64Array(this.journalRows.length * 2);
      larger.set(this.journalRows);
      this.journalRows = larger;
    }
    const { rows, journalRows } = this;
    for (let i = 0, from = node * rowLength, to = at * rowLength; i < rowLength; i++) {
      journalRows[to + i] = rows[from + i] as number;
    }
    this.journalNodes[at] = node;
    this.journalLists[2 * at] = this.primaries[node];
    this.journalLists[2 * at + 1] = this.secondaries[node];
    this.journalPeers[at] = this.peers[node] as PeerMap;
    this.journalCounts[2 * at] = this.exclusionTags[node] as Counts;
    this.journalCounts[2 * at + 1] = this.locationPairs[node] as Counts;
  }

  rollback(mark: number): void {
    const { rows, journalRows } = this;
    while (this.journalLength > mark) {
      const at = --this.journalLength;
      const node = this.journalNodes[at] as number;
      for (let i = 0, to = node * rowLength, from = at * rowLength; i < rowLength; i++) {
        rows[to + i] = journalRows[from + i] as number;
      }
      this.primaries[node] = this.journalLists[2 * at];
      this.secondaries[node] = this.journalLists[2 * at + 1];
      this.peers[node] = this.journalPeers[at] as PeerMap;
      this.exclusionTags[node] = this.journalCounts[2 * at] as Counts;
      this.locationPairs[node] = this.journalCounts[2 * at + 1] as Counts;
    }
  }

  /** Makes all changes so far final. */
  settle(): void {
    this.journalLength = 0;
    this.forgetTotals();
  }

  private forgetTotals(): void {
    this.instanceTotals = undefined;
    this.emptyingMargins = undefined;
  }

  /** Whether no trial is in progress. */
  get isSettled(): boolean {
    return this.journalLength === 0;
  }

  /** Whether instances of node `from` can be live-migrated to node `to`. */
  migrationLegal(from: number, to: number): boolean {
    const needed = this.facts.migrationTags[from] as readonly string[];
    if (needed.length === 0) return true;
    const offered = this.facts.receivableTags[to] as readonly string[];
    return needed.every((tag) => offered.includes(tag));
  }

  /** Number of location tags that two nodes share. */
  sharedLocations(a: number, b: number): number {
    const locations = this.facts.locations[a] as readonly string[];
    if (locations.length === 0) return 0;
    const others = this.facts.locations[b] as readonly string[];
    return locations.reduce((shared, tag) => shared + (others.includes(tag) ? 1 : 0), 0);
  }
}

/** The same objects in lists of their own. */
export const copiedData = (data: ClusterData): ClusterData => ({
  ...data,
  groups: data.groups.slice(),
  nodes: data.nodes.slice(),
  instances: data.instances.slice(),
});

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

function groupNodes(data: ClusterData, facts: NodeFacts): number[][] {
  const groups: number[][] = data.groups.map(() => []);
  for (let node = 0; node < data.nodes.length; node++) {
    (groups[facts.groupOf[node] as number] as number[]).push(node);
  }
  return groups;
}
