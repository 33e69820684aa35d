/**
 * The best pair of nodes for a new mirrored instance.
 *
 * Each node is tried once as primary and once as secondary; what a pair adds to that is only the
 * memory the secondary already reserves for the primary, so pairs that share instances are looked at
 * one by one and all others through `PairTable`. Counts need no enumeration.
 * Cost: O(nodes + shared pairs) for feasibility, few of the O(nodes²) pairs for the choice.
 */
import { bestFirst, type Place, type Search, type Solution } from "./allocation.js";
import { type Cluster, field } from "./cluster.js";
import { memoryReservedFor, secondaryMisfit } from "./fitting.js";
import { findPair } from "./kernel/pairs.js";
import { at, type Measures, measureNode } from "./metrics.js";
import { failN1, fits, type Misfit, MisfitCounts } from "./misfit.js";
import { PairTable, type PrimaryOption, type SecondaryOption } from "./pair-table.js";
import type { PeerMap } from "./peer-map.js";
import { addPrimary, addSecondary } from "./placing.js";
import { policyMisfit } from "./policy-check.js";
import { type Change, scoreAfter } from "./running-score.js";
import { type Moments, ScoreBoard } from "./score-board.js";

/** With fewer nodes tried than this, in both roles together, a table is made sooner than the kernel. */
const kernelOptionsMin = 100;

interface Scored {
  readonly secondary: number;
  readonly score: number;
}

/**
 * A secondary that would come to reserve more for the primary than for any other node, because of
 * instances the two share already. Only then does the pair differ from its two nodes alone.
 */
interface Acquaintance {
  readonly secondary: number;
  readonly misfit: Misfit;
}

const nobody: readonly Acquaintance[] = [];

export function searchPairs(
  search: Search,
  primaries: readonly number[],
  secondaries: readonly number[],
): Solution {
  return new PairSearch(search, primaries, secondaries).solve();
}

class PairSearch {
  private readonly cluster: Cluster;
  private readonly board: ScoreBoard;
  private readonly moments: Moments;
  private readonly failures = new MisfitCounts();
  private successes = 0;
  private readonly primaryOptions: PrimaryOption[] = [];
  private readonly secondaryOptions: SecondaryOption[] = [];
  /** By node, before anything is placed. */
  private readonly measures: (Measures | undefined)[];
  /** By node: what it is as the secondary of a stranger. */
  private readonly usual: (SecondaryOption | Misfit | undefined)[];
  /** By primary. */
  private readonly acquainted: (Acquaintance[] | undefined)[];
  private best: Place | undefined;

  constructor(
    private readonly search: Search,
    private readonly primaries: readonly number[],
    private readonly secondaries: readonly number[],
  ) {
    this.cluster = search.cluster;
    this.board = new ScoreBoard(this.cluster, search.scored);
    this.moments = this.board.moments;
    this.measures = new Array(this.cluster.nodeCount);
    this.usual = new Array(this.cluster.nodeCount);
    this.acquainted = new Array(this.cluster.nodeCount);
  }

  solve(): Solution {
    for (const node of this.secondaries) this.trySecondary(node);
    if (!this.search.instance.forthcoming) this.findAcquaintances();
    for (const node of this.primaries) this.tryPrimary(node);
    this.count();
    const open: PrimaryOption[] = [];
    const sure: PrimaryOption[] = [];
    for (const option of this.primaryOptions) {
      const decided = this.search.capacity ? this.search.capacity.decidedFor(option.node) : true;
      if (decided === false) this.passOver(this.feasibleCount(option.node));
      else if (decided && this.isRegular()) sure.push(option);
      else open.push(option);
    }
    if (sure.length > 0) this.searchTable(sure);
    for (const option of open) this.searchRow(option);
    return { failures: this.failures, successes: this.successes, place: this.best };
  }

  /** The fast way needs online nodes and figures that are numbers. */
  private isRegular(): boolean {
    this.regular ??=
      [...this.primaries, ...this.secondaries].every((node) => !this.isOffline(node)) &&
      [...this.moments.totals, ...this.moments.variances].every(Number.isFinite);
    return this.regular;
  }
  private regular: boolean | undefined;

  private isOffline(node: number): boolean {
    return this.cluster.facts.offline[node] === 1;
  }

  private tryPrimary(node: number): void {
    const { cluster, search, board } = this;
    const { data, facts } = cluster;
    const { instance, index, ignoreSoftErrors } = search;
    const group = data.groups[facts.groupOf[node] as number] as (typeof data.groups)[number];
    let misfit = policyMisfit(instance, group.policy, facts.exclusiveStorage[node] === 1);
    const before = this.measured(node);
    const mark = cluster.mark();
    if (misfit === fits) misfit = addPrimary(cluster, instance, index, node, ignoreSoftErrors, 0);
    if (misfit === fits) {
      const pairs = board.pairsAfter([node]);
      this.primaryOptions.push({ node, before, after: measureNode(cluster, node), pairs });
    } else {
      this.failures.add(misfit, this.partnerCount(node));
    }
    cluster.rollback(mark);
  }

  /** A node as it is; most are looked at in both roles. */
  private measured(node: number): Measures {
    this.measures[node] ??= measureNode(this.cluster, node);
    return this.measures[node] as Measures;
  }

  private trySecondary(node: number): void {
    const tried = this.secondaryWith(node, -1);
    this.usual[node] = tried;
    if (typeof tried !== "number") this.secondaryOptions.push(tried);
  }

  /** Always strict: soft errors of a secondary are never ignored. */
  private secondaryWith(node: number, primary: number): SecondaryOption | Misfit {
    const { cluster, search } = this;
    const before = this.measured(node);
    const mark = cluster.mark();
    const misfit = addSecondary(cluster, search.instance, search.index, node, primary, false);
    if (misfit !== fits) return misfit;
    const option = { node, before, after: measureNode(cluster, node) };
    cluster.rollback(mark);
    return option;
  }

  private findAcquaintances(): void {
    const { cluster, search, acquainted } = this;
    const { instance } = search;
    const needed = memoryReservedFor(instance);
    const isPrimary = new Uint8Array(cluster.nodeCount);
    for (const node of this.primaries) isPrimary[node] = 1;
    for (const secondary of this.secondaries) {
      const reserved = cluster.get(secondary, field.memoryReserved);
      for (const { node, mib } of cluster.peers[secondary] as PeerMap) {
        if (isPrimary[node] === 0 || node === secondary) continue;
        if (mib === 0 || mib + needed <= reserved) continue;
        const misfit = secondaryMisfit(cluster, instance, secondary, node, false);
        const known = acquainted[node];
        if (known) known.push({ secondary, misfit });
        else acquainted[node] = [{ secondary, misfit }];
      }
    }
  }

  private acquaintancesOf(primary: number): readonly Acquaintance[] {
    return this.acquainted[primary] ?? nobody;
  }

  /** How many pairs a primary is in. */
  private partnerCount(primary: number): number {
    return this.secondaries.length - (this.usual[primary] === undefined ? 0 : 1);
  }

  /** Refusals by the secondary, and the feasible pairs. */
  private count(): void {
    const usual = new MisfitCounts();
    for (const node of this.secondaries) {
      const tried = this.usual[node];
      if (typeof tried === "number") usual.add(tried);
    }
    this.failures.addAll(usual, this.primaryOptions.length);
    for (const { node } of this.primaryOptions) {
      const own = this.usual[node];
      if (typeof own === "number") this.failures.add(own, -1);
      for (const { secondary, misfit } of this.acquaintancesOf(node)) {
        const expected = this.usual[secondary];
        if (typeof expected === "number") this.failures.add(expected, -1);
        if (misfit !== fits) this.failures.add(misfit);
      }
      this.successes += this.feasibleCount(node);
    }
  }

  private feasibleCount(primary: number): number {
    let feasible = this.secondaryOptions.length - (this.isUsual(primary) ? 1 : 0);
    for (const { secondary, misfit } of this.acquaintancesOf(primary)) {
      if (this.isUsual(secondary)) feasible--;
      if (misfit === fits) feasible++;
    }
    return feasible;
  }

  /** Whether the node can be the secondary of a stranger. */
  private isUsual(node: number): boolean {
    return typeof this.usual[node] === "object";
  }

  private passOver(pairs: number): void {
    this.failures.add(failN1, pairs);
    this.successes -= pairs;
  }

  private get table(): PairTable {
    this.tableMade ??= this.makeTable();
    return this.tableMade;
  }

  /** Whether nodes may share locations that count. */
  private get areLocated(): boolean {
    return this.countsLocations && this.cluster.facts.locations.some((tags) => tags.length > 0);
  }

  private makeTable(): PairTable {
    const { cluster } = this;
    const shared = this.areLocated ? cluster.sharedLocations.bind(cluster) : undefined;
    return new PairTable(this.moments, this.primaryOptions, this.secondaryOptions, shared);
  }
  private tableMade: PairTable | undefined;

  /** Rows where every pair passes the capacity test, so that only the best of all matters. */
  private searchTable(options: readonly PrimaryOption[]): void {
    const limit = () => this.best?.score ?? Number.POSITIVE_INFINITY;
    const leastScore = this.searchStrangers(options, limit);
    for (const option of options) {
      for (const { secondary, misfit } of this.acquaintancesOf(option.node)) {
        if (misfit !== fits || leastScore(option.node, secondary) > limit()) continue;
        this.offer(option.node, secondary, this.acquaintedScore(option, secondary));
      }
    }
  }

  /** The pairs that share nothing. Gives the least that any pair of these primaries can score. */
  private searchStrangers(
    options: readonly PrimaryOption[],
    limit: () => number,
  ): (primary: number, secondary: number) => number {
    const skip = (primary: number) =>
      this.acquaintancesOf(primary).map(({ secondary }) => secondary);
    const found = this.isWorthTheKernel() ? this.findPair(options, skip) : undefined;
    if (found !== undefined) {
      const { best, leastScore } = found;
      if (best !== undefined) this.offer(best.primary, best.secondary, best.score);
      return leastScore;
    }
    const { table } = this;
    const primaries = new Set(options.map(({ node }) => node));
    table.visit(primaries, limit, skip, (primary, secondary, score) => {
      this.offer(primary, secondary, score);
    });
    return table.leastScore.bind(table);
  }

  private isWorthTheKernel(): boolean {
    const { primaryOptions, secondaryOptions } = this;
    return primaryOptions.length + secondaryOptions.length >= kernelOptionsMin && !this.areLocated;
  }

  private findPair(options: readonly PrimaryOption[], skip: (primary: number) => number[]) {
    const { moments, primaryOptions, secondaryOptions, cluster } = this;
    return findPair(
      moments,
      primaryOptions,
      secondaryOptions,
      cluster.nodeCount,
      new Set(options),
      skip,
    );
  }

  /** One primary at a time: its best pair that passes the capacity test. */
  private searchRow(option: PrimaryOption): void {
    const pairs = this.rowPairs(option);
    const lowest = lowestOf(pairs);
    // Mostly the first one passes, and the others need not be put in order.
    if (lowest !== undefined && this.accept(option.node, lowest)) return;
    for (const pair of bestFirst(pairs)) {
      if (this.accept(option.node, pair)) return;
      this.passOver(1);
    }
  }

  private accept(primary: number, { secondary, score }: Scored): boolean {
    const passed = this.passes(primary, secondary, score);
    if (passed) this.offer(primary, secondary, score);
    return passed;
  }

  /** All feasible pairs of a primary, in the order of the secondaries. */
  private rowPairs(option: PrimaryOption): Scored[] {
    const pairs: Scored[] = [];
    const acquainted = this.acquaintancesOf(option.node);
    const known = new Set(acquainted.map(({ secondary }) => secondary));
    for (const { secondary, misfit } of acquainted) {
      if (misfit !== fits) continue;
      pairs.push({ secondary, score: this.acquaintedScore(option, secondary) });
    }
    if (this.isRegular()) {
      const all = () => Number.POSITIVE_INFINITY;
      const visitor = (_: number, secondary: number, score: number) => {
        pairs.push({ secondary, score });
      };
      this.table.visit(new Set([option.node]), all, () => known, visitor);
    } else {
      for (const usual of this.secondaryOptions) {
        if (usual.node === option.node || known.has(usual.node)) continue;
        pairs.push({ secondary: usual.node, score: this.pairScore(option, usual) });
      }
    }
    return pairs.sort((a, b) => a.secondary - b.secondary);
  }

  private acquaintedScore(option: PrimaryOption, secondary: number): number {
    const actual = this.secondaryWith(secondary, option.node);
    return typeof actual === "number" ? Number.NaN : this.pairScore(option, actual);
  }

  /** Where a reservation is going to be does not count before it is there. */
  private get countsLocations(): boolean {
    return !this.search.instance.forthcoming;
  }

  private pairScore(primary: PrimaryOption, secondary: SecondaryOption): number {
    const { cluster } = this;
    const locationScore = this.countsLocations
      ? cluster.sharedLocations(primary.node, secondary.node)
      : 0;
    const first: Change = { ...primary, offline: this.isOffline(primary.node) };
    if (locationScore > 0) {
      const after = [...primary.after];
      after[at.location] = (after[at.location] as number) + locationScore;
      return this.score([{ ...first, after }, this.changeOf(secondary)], primary.pairs);
    }
    return this.score([first, this.changeOf(secondary)], primary.pairs);
  }

  private changeOf(option: SecondaryOption): Change {
    return { ...option, offline: this.isOffline(option.node) };
  }

  private score(changes: readonly Change[], pairs: number): number {
    return scoreAfter(this.moments, changes, pairs);
  }

  private passes(primary: number, secondary: number, score: number): boolean {
    const { cluster, search } = this;
    const { capacity, instance, index } = search;
    if (capacity === undefined) return true;
    const place = this.place(primary, secondary, score);
    const mark = cluster.mark();
    const force = search.ignoreSoftErrors;
    addPrimary(cluster, instance, index, primary, force, place.locationScore);
    addSecondary(cluster, instance, index, secondary, primary, false);
    const passed = capacity.passes(place);
    cluster.rollback(mark);
    return passed;
  }

  private place(primary: number, secondary: number, score: number): Place {
    const locationScore = this.cluster.sharedLocations(primary, secondary);
    return { primary, secondary, locationScore, score };
  }

  /** Keeps the lowest score; among equals the later primary, then the later secondary. */
  private offer(primary: number, secondary: number, score: number): void {
    const { best } = this;
    if (best !== undefined && best.score < score) return;
    const later =
      best === undefined ||
      best.score !== score ||
      primary > best.primary ||
      (primary === best.primary && secondary > best.secondary);
    if (later) this.best = this.place(primary, secondary, score);
  }
}

/** The last of the lowest scores; undefined where scores are no numbers. */
function lowestOf(pairs: readonly Scored[]): Scored | undefined {
  let lowest: Scored | undefined;
  for (const pair of pairs) {
    if (Number.isNaN(pair.score)) return undefined;
    if (lowest === undefined || pair.score <= lowest.score) lowest = pair;
  }
  return lowest;
}
