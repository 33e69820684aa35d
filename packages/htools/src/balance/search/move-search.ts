/**
 * Search for the move that improves the score most, repeated after every step of balancing. With n nodes and
 * v victims the first search examines all O(v n) moves. A later one examines the moves of victims on nodes that
 * the last step changed, the moves of all other victims to those nodes, and the victims whose lower bound
 * (`score-drift.ts`) does not exclude that their best move is the best of all: O(v + n) moves and a few times n.
 *
 * Estimates only choose what is computed exactly: the last bits of scores decide ties.
 */
import { isMirrored } from "@ganeti-ts/protocol";
import type { Cluster } from "../../model/cluster.js";
import type { Instance } from "../../model/instance.js";
import type { ScoreBoard } from "../../score/score-board.js";
import type { BalanceMove } from "../balance-move.js";
import type { BalanceOptions } from "../balance-options.js";
import { movesOf } from "../candidates.js";
import { ColumnSet } from "./column-set.js";
import { EqualVictims } from "./equal-victims.js";
import { exactScore, exhaustiveSearch, type NearMove } from "./exhaustive-search.js";
import { kindAt, kindCount, kindNames } from "./move-kinds.js";
import { OwnNodeMeasurer } from "./own-nodes.js";
import { PeerReservations } from "./peer-reservations.js";
import { coarseUncertainty, uncertainty } from "./rounding.js";
import { drift, type Statistics, statisticsOf } from "./score-drift.js";
import { TargetScan } from "./target-scan.js";
import { Victim } from "./victim.js";
import { VictimTable } from "./victim-table.js";

export interface Found {
  readonly index: number;
  readonly move: BalanceMove;
  readonly score: number;
}

/** Progress of a search: the index of the present instance, and the number of instances that remain to be examined. */
interface SearchProgress {
  readonly index: number;
  readonly left: number;
}

/** A search in parts: yields its progress between them. */
export type SearchInParts<T> = Generator<SearchProgress, T>;

/** Number of victims examined between two progress reports. */
const progressInterval = 64;

export class MoveSearch {
  private readonly online: readonly number[];
  private readonly columns: ColumnSet;
  private readonly peerReservations: PeerReservations;
  readonly table: VictimTable;
  private readonly scan: TargetScan;
  private readonly ownNodes: OwnNodeMeasurer;
  /** Victims, with the bounds known for the moves of each. */
  readonly victims: readonly Victim[];
  private readonly equalVictims: EqualVictims;
  /** Indices of instances whose moves are made and undone one by one in each search. */
  private readonly irregular: readonly number[];
  private score: number;
  private statistics: Statistics;
  /** By column, maximum over all victims. */
  private readonly largestShifts: Float64Array;
  /** Error bound of estimates where it is not magnified, and of the change of a bound by the last step. */
  private steadyError = 0;
  private rounding = 0;

  /** @param indices of all instances that may be moved, in index order */
  constructor(
    private readonly cluster: Cluster,
    private readonly board: ScoreBoard,
    indices: readonly number[],
    private readonly options: BalanceOptions,
  ) {
    const { nodes } = board;
    this.online = nodes.filter((node) => cluster.facts.offline[node] === 0);
    const scored = new Uint8Array(cluster.nodeCount);
    for (const node of nodes) scored[node] = 1;
    const isIrregular = irregularity(cluster, nodes);
    const instances = indices.map((index) => cluster.instances[index] as Instance);
    this.irregular = instances.filter(isIrregular).map(({ index }) => index);
    const usual = instances.filter((instance) => !isIrregular(instance));
    // Columns distinguish all instances that may move, the irregular ones included: a move of one of these may
    // separate columns that are equal for the others.
    this.columns = new ColumnSet(cluster, this.online, instances);
    this.peerReservations = new PeerReservations(cluster, this.columns.placeOf);
    const table = new VictimTable(usual.length, this.columns.width);
    this.table = table;
    const force = options.ignoreSoftErrors;
    this.scan = new TargetScan(cluster, this.columns, table, this.peerReservations, force);
    this.ownNodes = new OwnNodeMeasurer(cluster, this.columns, table, scored, force);
    this.victims = usual.map((instance, at) => {
      const victim = new Victim(cluster, instance, options, at * table.rowLength);
      table.enter(victim, this.columns);
      return victim;
    });
    this.equalVictims = new EqualVictims(cluster, this.victims, scored);
    this.largestShifts = this.columns.weights.map((_, column) =>
      this.victims.reduce((most, { row }) => Math.max(most, table.reach(row, column)), 0),
    );
    this.score = board.score;
    this.statistics = this.take(this.score);
    this.updateSlack();
  }

  /** Updates the search after a step that changed these nodes; the board must be updated before. */
  moved(touched: readonly number[]): void {
    const { cluster, columns } = this;
    const before = this.statistics;
    const scoreBefore = this.score;
    const roundingBefore = this.steadyError;
    columns.refresh(touched);
    this.peerReservations.refresh(touched);
    this.score = this.board.score;
    this.statistics = this.take(this.score);
    this.updateSlack();
    this.rounding = 2 * (roundingBefore + this.steadyError);
    const changed = new Uint8Array(cluster.nodeCount);
    for (const node of touched) changed[node] = 1;
    const places = touched.map((node) => columns.placeOf[node] as number);
    const changedPlaces = places.filter((place) => place >= 0);
    this.scan.beginFew(changedPlaces);
    // The next gain is seldom far below the last one.
    const limit = this.score - (scoreBefore - this.score) / 2;
    for (const victim of this.victims) {
      const { primary, secondary } = victim.placement;
      if (changed[primary] === 1 || (secondary >= 0 && changed[secondary] === 1)) {
        victim.changed(cluster, this.options);
        this.equalVictims.moved(victim);
      }
    }
    for (const victim of this.victims) if (victim.isKnown) this.keepUp(victim, before, limit);
    this.scan.endFew();
  }

  /** Makes `lowest` a bound for the present state, improved if it may be below `limit`. */
  private keepUp(victim: Victim, before: Statistics, limit: number): void {
    const { scan, columns, statistics } = this;
    victim.attained = false;
    // The score if all deviations vanished: if that is too high, no move of this victim can be best.
    const leastScore = statistics.constant + victim.leastLinear;
    if (leastScore > limit) {
      victim.lowest = leastScore;
      return;
    }
    scan.beginVictim(victim, statistics.constant);
    const floor = scan.floor(victim);
    if (floor > limit) {
      victim.lowest = floor;
      return;
    }
    victim.lowest += drift(this.table, victim.row, columns, before, statistics) - this.rounding;
    const lowest = scan.lowestOfFew(victim.lowest);
    victim.attained = lowest < victim.lowest;
    victim.lowest = Math.max(lowest, floor);
  }

  /**
   * The first move with the lowest score, if that is below `score`, the present one.
   * @param isActive whether an instance may be moved now
   */
  *best(score: number, isActive: (index: number) => boolean): SearchInParts<Found | undefined> {
    if (!Number.isFinite(score) || this.online.length === 0) return undefined;
    const active = this.victims.filter((victim) => victim.isFirst && isActive(victim.index));
    const near: NearMove[] = [];
    const irregular = this.irregular.filter(isActive);
    for (const [at, index] of irregular.entries()) {
      yield { index, left: irregular.length - at };
      near.push(...this.tryAll(index));
    }
    const unknown = active.filter(({ isKnown }) => !isKnown);
    for (const [at, victim] of unknown.entries()) {
      if (at % progressInterval === 0) yield { index: victim.index, left: unknown.length - at };
      this.measureOwnNodes(victim);
    }
    let lead = score;
    for (const { estimate } of near) lead = Math.min(lead, estimate);
    for (const victim of active) if (victim.attained) lead = Math.min(lead, victim.lowest);
    const slack = this.scan.slack;
    const first = leastBounded(active, lead + slack);
    if (first !== undefined) {
      this.scanAll(first);
      lead = Math.min(lead, first.lowest);
    }
    for (const [at, victim] of promising(active, lead + slack).entries()) {
      if (victim.lowest > lead + slack) break;
      if (at % progressInterval === 0) yield { index: victim.index, left: 0 };
      this.scanAll(victim);
      lead = Math.min(lead, victim.lowest);
    }
    const leaders = active.filter(({ lowest }) => lowest <= lead + slack);
    this.collect(leaders, score, near);
    return this.firstLowest(near, score);
  }

  /** Measures a victim's own nodes, and sets its lower bound. */
  private measureOwnNodes(victim: Victim): void {
    this.ownNodes.measure(victim);
    this.scan.beginVictim(victim, this.statistics.constant);
    victim.lowest = this.scan.floor(victim);
    victim.attained = false;
  }

  private updateSlack(): void {
    const { columns, score, largestShifts } = this;
    const { steady, total } = coarseUncertainty(columns, score, largestShifts);
    this.steadyError = steady;
    this.scan.slack = 2 * total;
  }

  private take(score: number): Statistics {
    return statisticsOf(this.columns, score - this.columns.score);
  }

  private scanAll(victim: Victim): void {
    const { scan } = this;
    scan.begin(victim, this.statistics.constant);
    victim.lowest = scan.lowest(scan.failover);
    victim.attained = true;
  }

  /** Adds the moves of these victims that may be the best. */
  private collect(leaders: readonly Victim[], score: number, near: NearMove[]): void {
    const { scan, columns, statistics } = this;
    const known = leaders.map((victim) => ({
      victim,
      error: uncertainty(this.table, victim.row, columns, score),
    }));
    let limit = score;
    for (const { estimate, error } of near) limit = Math.min(limit, estimate + error);
    for (const { victim, error } of known) limit = Math.min(limit, victim.lowest + error);
    for (const { victim, error } of known) {
      if (victim.lowest - error > limit) continue;
      const { index } = victim;
      scan.begin(victim, statistics.constant);
      const add = (at: number, place: number, estimate: number) => {
        const kind = kindNames[at] as (typeof kindNames)[number];
        const target = columns.nodes[place] as number;
        const move: BalanceMove = kind === "failover" ? { kind } : { kind, target };
        near.push({ index, order: place * kindCount + at, move, estimate, error });
      };
      if (scan.failover <= limit + error) add(kindAt.failover, -1, scan.failover);
      scan.visit(limit + error, add);
    }
  }

  private tryAll(index: number): readonly NearMove[] {
    const { cluster, board, online, options } = this;
    const instance = cluster.instances[index] as Instance;
    const moves = movesOf(cluster, instance, online, options);
    return exhaustiveSearch(cluster, board, index, moves, options.ignoreSoftErrors);
  }

  private firstLowest(near: NearMove[], score: number): Found | undefined {
    const { cluster, board, options } = this;
    let best: (Found & { readonly order: number }) | undefined;
    near.sort((a, b) => a.estimate - b.estimate);
    for (const { index, order, move, estimate, error } of near) {
      if (estimate - error > (best?.score ?? score)) continue;
      const exact = exactScore(cluster, board, index, move, options.ignoreSoftErrors);
      if (!(exact < score)) continue;
      const wins =
        best === undefined ||
        exact < best.score ||
        (exact === best.score &&
          (index < best.index || (index === best.index && order < best.order)));
      if (wins) best = { index, order, move, score: exact };
    }
    return best;
  }
}

/** The most promising victim whose best move is not known, if its bound is within `limit`. */
function leastBounded(victims: readonly Victim[], limit: number): Victim | undefined {
  let best: Victim | undefined;
  for (const victim of victims) {
    if (victim.attained || victim.lowest > limit) continue;
    if (best === undefined || victim.lowest < best.lowest) best = victim;
  }
  return best;
}

/** The victims whose best move is not known and whose bound is within `limit`; the most promising first. */
function promising(victims: readonly Victim[], limit: number): Victim[] {
  const some = victims.filter(({ attained, lowest }) => !attained && !(lowest > limit));
  return some.sort((a, b) => a.lowest - b.lowest);
}

/**
 * Test for instances whose moves have effects that the columns do not have: on exclusive storage, where
 * spindles are counted and may be unknown; with tags counted per location over the whole cluster;
 * and all instances of a cluster in which one that is not drbd has a secondary.
 */
function irregularity(cluster: Cluster, nodes: readonly number[]): (instance: Instance) => boolean {
  const { exclusiveStorage, locations } = cluster.facts;
  const mixed = cluster.instances.some(
    ({ data, index }) =>
      !isMirrored(data.diskTemplate) && (cluster.secondaryOf[index] as number) >= 0,
  );
  if (mixed || nodes.some((node) => exclusiveStorage[node] === 1)) return () => true;
  const located = locations.some((tags) => tags.length > 0);
  return ({ data, index, exclusionTags, forthcoming }) =>
    (located && exclusionTags.length > 0 && !forthcoming) ||
    (isMirrored(data.diskTemplate) && (cluster.secondaryOf[index] as number) < 0);
}
