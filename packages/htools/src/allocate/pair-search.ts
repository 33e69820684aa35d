/**
 * Search for the best pair of nodes for a new mirrored instance.
 *
 * Each node determines by itself which pairs are feasible (`PairOptions`), except for pairs that share
 * instances: these are examined one by one, all others through `PairTable`. Cost: few of the O(nodes²) pairs. Usually
 * score columns need no trials (`kept-pair-search.ts`).
 */

import { failN1, type MisfitCounts } from "../fit/misfit.js";
import { addPrimary, addSecondary } from "../fit/placing.js";
import type { Cluster } from "../model/cluster.js";
import { at } from "../score/metrics.js";
import { PairTable, type PrimaryOption, type SecondaryOption } from "../score/pair-table.js";
import { type Change, scoreAfter } from "../score/running-score.js";
import { ScoreBoard, type ScoreStatistics } from "../score/score-board.js";
import { bestFirst, type Place, type Search, type Solution } from "./allocation.js";
import { searchKeptPairs } from "./kept-pair-search.js";
import { PairOptions } from "./pair-options.js";

interface Scored {
  readonly secondary: number;
  readonly score: number;
}

/** @param boardOf board of the scored nodes as they are; the search leaves it so */
export function searchPairs(
  search: Search,
  primaries: readonly number[],
  secondaries: readonly number[],
  boardOf = () => new ScoreBoard(search.cluster, search.scored),
): Solution {
  const kept = primaries === secondaries ? searchKeptPairs(search, primaries) : undefined;
  return kept ?? new PairSearch(search, primaries, secondaries, boardOf()).solve();
}

class PairSearch {
  private readonly cluster: Cluster;
  private readonly scoreStatistics: ScoreStatistics;
  private readonly options: PairOptions;
  /** Infeasible pairs, and feasible ones passed over. */
  private readonly failures: MisfitCounts;
  private successes: number;
  private best: Place | undefined;

  constructor(
    private readonly search: Search,
    private readonly primaries: readonly number[],
    private readonly secondaries: readonly number[],
    board: ScoreBoard,
  ) {
    this.cluster = search.cluster;
    this.scoreStatistics = board.scoreStatistics;
    this.options = new PairOptions(search, board, primaries, secondaries);
    this.failures = this.options.failures;
    this.successes = this.options.feasible;
  }

  solve(): Solution {
    const { options } = this;
    const open: PrimaryOption[] = [];
    const sure: PrimaryOption[] = [];
    for (const option of options.primaries) {
      const decided = this.search.capacity ? this.search.capacity.decidedFor(option.node) : true;
      if (decided === false) this.passOver(options.feasibleOf(option.node));
      else if (decided && this.isRegular()) sure.push(option);
      else open.push(option);
    }
    if (sure.length > 0) this.searchTable(sure);
    for (const option of open) this.searchRow(option);
    return { failures: this.failures, successes: this.successes, place: this.best };
  }

  /** The fast search requires online nodes and no NaN. */
  private isRegular(): boolean {
    this.regular ??=
      [...this.primaries, ...this.secondaries].every((node) => !this.isOffline(node)) &&
      [...this.scoreStatistics.totals, ...this.scoreStatistics.variances].every(Number.isFinite);
    return this.regular;
  }
  private regular: boolean | undefined;

  private isOffline(node: number): boolean {
    return this.cluster.facts.offline[node] === 1;
  }

  private passOver(pairs: number): void {
    this.failures.add(failN1, pairs);
    this.successes -= pairs;
  }

  private get table(): PairTable {
    this.tableMade ??= this.makeTable();
    return this.tableMade;
  }

  /** Whether candidate nodes may share locations that count. */
  private get areLocated(): boolean {
    return this.countsLocations && this.cluster.facts.locations.some((tags) => tags.length > 0);
  }

  private makeTable(): PairTable {
    const { cluster, options } = this;
    const shared = this.areLocated ? cluster.sharedLocations.bind(cluster) : undefined;
    return new PairTable(this.scoreStatistics, options.primaries, options.secondaries, shared);
  }
  private tableMade: PairTable | undefined;

  /** For rows in which every pair passes the capacity test, so that only the best pair matters. */
  private searchTable(chosen: readonly PrimaryOption[]): void {
    const { table } = this;
    const limit = () => this.best?.score ?? Number.POSITIVE_INFINITY;
    const { sharing } = this.options;
    table.visit(
      new Set(chosen.map(({ node }) => node)),
      limit,
      (primary) => sharing.secondariesOf(primary),
      (primary, secondary, score) => this.offer(primary, secondary, score),
    );
    for (const option of chosen) {
      for (let pair = sharing.firstOf(option.node); pair >= 0; pair = sharing.next(pair)) {
        if (!sharing.isFeasible(pair)) continue;
        const secondary = sharing.secondaryOf(pair);
        if (table.leastScore(option.node, secondary) + sharing.termsOf(pair) > limit()) continue;
        this.offer(option.node, secondary, this.sharingScore(option, secondary));
      }
    }
  }

  /** One primary at a time: its best pair that passes the capacity test. */
  private searchRow(option: PrimaryOption): void {
    const pairs = this.rowPairs(option);
    const lowest = lowestOf(pairs);
    // The first one usually passes, so the others need not be sorted.
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
    const { sharing } = this.options;
    const known = new Set(sharing.secondariesOf(option.node));
    for (let pair = sharing.firstOf(option.node); pair >= 0; pair = sharing.next(pair)) {
      if (!sharing.isFeasible(pair)) continue;
      const secondary = sharing.secondaryOf(pair);
      pairs.push({ secondary, score: this.sharingScore(option, secondary) });
    }
    if (this.isRegular()) {
      const all = () => Number.POSITIVE_INFINITY;
      const visitor = (_: number, secondary: number, score: number) => {
        pairs.push({ secondary, score });
      };
      this.table.visit(new Set([option.node]), all, () => known, visitor);
    } else {
      for (const usual of this.options.secondaries) {
        if (usual.node === option.node || known.has(usual.node)) continue;
        pairs.push({ secondary: usual.node, score: this.pairScore(option, usual) });
      }
    }
    return pairs.sort((a, b) => a.secondary - b.secondary);
  }

  private sharingScore(option: PrimaryOption, secondary: number): number {
    const actual = this.options.secondaryWith(secondary, option.node);
    return typeof actual === "number" ? Number.NaN : this.pairScore(option, actual);
  }

  /** Locations of a forthcoming instance do not count before it exists. */
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
    return scoreAfter(this.scoreStatistics, changes, pairs);
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

/** The last of the lowest scores; undefined if scores are NaN. */
function lowestOf(pairs: readonly Scored[]): Scored | undefined {
  let lowest: Scored | undefined;
  for (const pair of pairs) {
    if (Number.isNaN(pair.score)) return undefined;
    if (lowest === undefined || pair.score <= lowest.score) lowest = pair;
  }
  return lowest;
}
