/**
 * The best pair of nodes for a new mirrored instance.
 *
 * Each node is tried once as primary and once as secondary; what a pair adds to that is only the
 * memory the secondary already reserves for the primary, so pairs that share instances are looked at
 * one by one and all others through `PairTable`. Counts need no enumeration.
 * Cost: O(nodes + shared pairs) for feasibility, few of the O(nodes²) pairs for the choice.
 */
import { bestFirst, type Place, type Search, type Solution } from "./allocation.js";
import type { Cluster } from "./cluster.js";
import { at, componentCount, measureNode } from "./metrics.js";
import { failN1, fits, type Misfit, MisfitCounts } from "./misfit.js";
import { PairTable, type PrimaryOption, type SecondaryOption } from "./pair-table.js";
import type { PeerMap } from "./peer-map.js";
import { addPrimary, addSecondary, secondaryMisfit } from "./placing.js";
import { policyMisfit } from "./policy-check.js";
import { type Change, scoreAfter } from "./running-score.js";
import { type Moments, ScoreBoard } from "./score-board.js";

interface Scored {
  readonly secondary: number;
  readonly score: number;
}

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
  private readonly primaryOptions = new Map<number, PrimaryOption>();
  private readonly secondaryOptions = new Map<number, SecondaryOption>();
  private readonly secondaryMisfits = new Map<number, Misfit>();
  /** By primary: the secondaries which already reserve memory for it, and whether they can be its own. */
  private readonly acquainted = new Map<number, Map<number, Misfit>>();
  private readonly measures = new Map<number, Float64Array>();
  private best: Place | undefined;

  constructor(
    private readonly search: Search,
    private readonly primaries: readonly number[],
    private readonly secondaries: readonly number[],
  ) {
    this.cluster = search.cluster;
    this.board = new ScoreBoard(this.cluster, search.scored);
    this.moments = this.board.moments;
  }

  solve(): Solution {
    for (const node of this.secondaries) this.trySecondary(node);
    this.findAcquaintances();
    for (const node of this.primaries) this.tryPrimary(node);
    this.count();
    const open: PrimaryOption[] = [];
    const sure = new Set<number>();
    for (const option of this.primaryOptions.values()) {
      const decided = this.search.capacity ? this.search.capacity.decidedFor(option.node) : true;
      if (decided === false) this.passOver(this.feasibleCount(option.node));
      else if (decided && this.isRegular()) sure.add(option.node);
      else open.push(option);
    }
    if (sure.size > 0) this.searchTable(sure);
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
    const before = this.known(node);
    const mark = cluster.mark();
    if (misfit === fits) misfit = addPrimary(cluster, instance, index, node, ignoreSoftErrors, 0);
    if (misfit === fits) {
      const option = { node, before, after: this.measure(node), pairs: board.pairsAfter([node]) };
      this.primaryOptions.set(node, option);
    } else {
      this.failures.add(misfit, this.partnerCount(node));
    }
    cluster.rollback(mark);
  }

  private trySecondary(node: number): void {
    const tried = this.secondaryWith(node, -1);
    if (typeof tried === "number") this.secondaryMisfits.set(node, tried);
    else this.secondaryOptions.set(node, tried);
  }

  /** Always strict: soft errors of a secondary are never ignored. */
  private secondaryWith(node: number, primary: number): SecondaryOption | Misfit {
    const { cluster, search } = this;
    const before = this.known(node);
    const mark = cluster.mark();
    const misfit = addSecondary(cluster, search.instance, search.index, node, primary, false);
    if (misfit !== fits) return misfit;
    const option = { node, before, after: this.measure(node) };
    cluster.rollback(mark);
    return option;
  }

  private findAcquaintances(): void {
    const { cluster, search } = this;
    const isPrimary = new Set(this.primaries);
    for (const node of this.secondaries) {
      for (const peer of cluster.peers[node] as PeerMap) {
        if (!isPrimary.has(peer.node) || peer.node === node) continue;
        const known = this.acquainted.get(peer.node) ?? new Map<number, Misfit>();
        const misfit = secondaryMisfit(cluster, search.instance, node, peer.node, false);
        this.acquainted.set(peer.node, known.set(node, misfit));
      }
    }
  }

  /** As it is without the instance. */
  private known(node: number): Float64Array {
    const known = this.measures.get(node) ?? this.measure(node);
    this.measures.set(node, known);
    return known;
  }

  private measure(node: number): Float64Array {
    const measured = new Float64Array(componentCount);
    measureNode(this.cluster, node, measured);
    return measured;
  }

  /** How many pairs a primary is in. */
  private partnerCount(primary: number): number {
    this.secondarySet ??= new Set(this.secondaries);
    return this.secondaries.length - (this.secondarySet.has(primary) ? 1 : 0);
  }
  private secondarySet: Set<number> | undefined;

  /** Refusals by the secondary, and the feasible pairs. */
  private count(): void {
    const usual = new MisfitCounts();
    for (const misfit of this.secondaryMisfits.values()) usual.add(misfit);
    for (const { node } of this.primaryOptions.values()) {
      this.failures.addAll(usual);
      const own = this.secondaryMisfits.get(node);
      if (own !== undefined) this.failures.add(own, -1);
      for (const [secondary, actual] of this.acquainted.get(node) ?? []) {
        const expected = this.secondaryMisfits.get(secondary);
        if (expected !== undefined) this.failures.add(expected, -1);
        if (actual !== fits) this.failures.add(actual);
      }
      this.successes += this.feasibleCount(node);
    }
  }

  private feasibleCount(primary: number): number {
    let feasible = this.secondaryOptions.size - (this.secondaryOptions.has(primary) ? 1 : 0);
    for (const [secondary, actual] of this.acquainted.get(primary) ?? []) {
      if (this.secondaryOptions.has(secondary)) feasible--;
      if (actual === fits) feasible++;
    }
    return feasible;
  }

  private passOver(pairs: number): void {
    this.failures.add(failN1, pairs);
    this.successes -= pairs;
  }

  private get table(): PairTable {
    this.tableMade ??= this.makeTable();
    return this.tableMade;
  }

  private makeTable(): PairTable {
    const { cluster, primaryOptions, secondaryOptions } = this;
    const located = this.countsLocations && cluster.facts.locations.some((tags) => tags.length > 0);
    const shared = located ? cluster.sharedLocations.bind(cluster) : undefined;
    return new PairTable(
      this.moments,
      [...primaryOptions.values()],
      [...secondaryOptions.values()],
      shared,
    );
  }
  private tableMade: PairTable | undefined;

  /** Rows where every pair passes the capacity test, so that only the best of all matters. */
  private searchTable(primaries: ReadonlySet<number>): void {
    const skip = (primary: number) => this.acquainted.get(primary)?.keys() ?? [];
    const limit = () => this.best?.score ?? Number.POSITIVE_INFINITY;
    this.table.visit(primaries, limit, skip, (primary, secondary, score) => {
      this.offer(primary, secondary, score);
    });
    for (const primary of primaries) {
      const option = this.primaryOptions.get(primary) as PrimaryOption;
      for (const [secondary, actual] of this.acquainted.get(primary) ?? []) {
        if (actual !== fits || this.table.leastScore(primary, secondary) > limit()) continue;
        this.offer(primary, secondary, this.acquaintedScore(option, secondary));
      }
    }
  }

  /** One primary at a time: its best pair that passes the capacity test. */
  private searchRow({ node }: PrimaryOption): void {
    for (const { secondary, score } of bestFirst(this.rowPairs(node))) {
      if (this.passes(node, secondary, score)) {
        this.offer(node, secondary, score);
        return;
      }
      this.passOver(1);
    }
  }

  /** All feasible pairs of a primary, in the order of the secondaries. */
  private rowPairs(primary: number): Scored[] {
    const pairs = [...this.acquaintedPairs(primary)];
    const acquainted = this.acquainted.get(primary);
    if (this.isRegular()) {
      const skip = () => acquainted?.keys() ?? [];
      const all = () => Number.POSITIVE_INFINITY;
      this.table.visit(new Set([primary]), all, skip, (_, secondary, score) => {
        pairs.push({ secondary, score });
      });
    } else {
      const option = this.primaryOptions.get(primary) as PrimaryOption;
      for (const [secondary, usual] of this.secondaryOptions) {
        if (secondary === primary || acquainted?.has(secondary)) continue;
        pairs.push({ secondary, score: this.pairScore(option, usual) });
      }
    }
    return pairs.sort((a, b) => a.secondary - b.secondary);
  }

  private *acquaintedPairs(primary: number): Generator<Scored> {
    const option = this.primaryOptions.get(primary) as PrimaryOption;
    for (const [secondary, actual] of this.acquainted.get(primary) ?? []) {
      if (actual === fits) yield { secondary, score: this.acquaintedScore(option, secondary) };
    }
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
      const after = new Float64Array(primary.after);
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
