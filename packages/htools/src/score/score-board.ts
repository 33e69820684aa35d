/**
 * Score of a list of nodes, and after changes of some of them.
 *
 * `exact` repeats Ganeti's own computation (two passes, index order), because the last bits decide ties: O(20
 * n). `estimate` updates sums instead: O(20) per changed node, accurate to about 1e-8, and selects the
 * candidates whose exact score is needed.
 */

import type { Cluster, Counts } from "../model/cluster.js";
import { squaresAround, sumOf } from "./column-sums.js";
import {
  at,
  type Component,
  componentCount,
  components,
  deviations,
  type Measures,
  measureNode,
  sums,
  weights,
} from "./metrics.js";

/**
 * Estimates closer than this to the best one may still be the best.
 * @param count number of scored nodes. Of many nodes, a score is the sum of many terms, and as accurate as that of few:
 * otherwise all candidates of a large cluster would be near each other.
 */
export const nearness = (score: number, count = 1): number =>
  1e-6 * Math.max(1, Math.abs(score) * Math.min(1, 100 / count));

const ofOnlineNodes: readonly number[] = [...deviations, ...sums];
const ofOfflineNodes: readonly number[] = [at.offlineAll, at.offlinePrimary];

export interface ScoreStatistics {
  readonly count: number;
  readonly totals: Float64Array;
  readonly variances: Float64Array;
  /** The statistics themselves. */
  readonly values: Float64Array;
}

export class ScoreBoard {
  /** Per component, the values of the online nodes in index order. */
  private readonly columns: Float64Array[];
  private readonly offlineColumns: Float64Array[];
  private readonly position: Int32Array;
  private readonly onlineCount: number;
  private readonly totals = new Float64Array(componentCount);
  private readonly means = new Float64Array(componentCount);
  private readonly squares = new Float64Array(componentCount);
  private readonly statistics = new Float64Array(componentCount);
  private stale = true;
  private readonly pairsOf: Counts[];
  private readonly pairTotals = new Map<string, number>();
  private readonly fresh: Measures[] = [];

  constructor(
    private readonly cluster: Cluster,
    readonly nodes: readonly number[],
  ) {
    const { offline } = cluster.facts;
    this.position = new Int32Array(cluster.nodeCount).fill(-1);
    let online = 0;
    let away = 0;
    for (const node of nodes) this.position[node] = offline[node] === 1 ? away++ : online++;
    this.onlineCount = online;
    this.columns = Array.from({ length: componentCount }, () => new Float64Array(online));
    this.offlineColumns = Array.from({ length: 2 }, () => new Float64Array(away));
    this.pairsOf = cluster.locationPairs.slice();
    for (const node of nodes) {
      this.read(node);
      if (offline[node] === 0) this.countPairs(this.pairsOf[node] as Counts, 1);
    }
  }

  /** Updates the board after changes of these nodes. */
  refresh(changed: readonly number[]): void {
    for (const node of changed) {
      if ((this.position[node] as number) < 0) continue;
      this.read(node);
      const pairs = this.cluster.locationPairs[node] as Counts;
      if (pairs !== this.pairsOf[node] && this.cluster.facts.offline[node] === 0) {
        this.countPairs(this.pairsOf[node] as Counts, -1);
        this.countPairs(pairs, 1);
      }
      this.pairsOf[node] = pairs;
    }
    this.stale = true;
  }

  /** Each component's statistic, unweighted. */
  get values(): Float64Array {
    this.settle();
    return this.statistics;
  }

  get score(): number {
    return this.weighted(this.values);
  }

  /** Start values of incremental updates: number of online nodes, totals and variances per component. */
  get scoreStatistics(): ScoreStatistics {
    this.settle();
    const variances = this.squares.map((squares) => squares / this.onlineCount);
    return { count: this.onlineCount, totals: this.totals, variances, values: this.statistics };
  }

  /** The location and exclusion pairs with the current state of `changed` nodes. */
  pairsAfter(changed: readonly number[]): number {
    return this.pairValue(changed);
  }

  /** The score with the current rows of `changed` nodes. */
  estimate(changed: readonly number[]): number {
    this.settle();
    const count = this.onlineCount;
    if (count === 0) return 0;
    this.measure(changed);
    let score = weights[at.locationPairs] as number;
    score *= this.pairValue(changed);
    for (const index of deviations) {
      const column = this.columns[index] as Float64Array;
      const mean = this.means[index] as number;
      let shift = 0;
      let squares = this.squares[index] as number;
      for (let i = 0; i < changed.length; i++) {
        const place = this.onlinePlace(changed[i] as number);
        if (place < 0) continue;
        const before = (column[place] as number) - mean;
        const after = ((this.fresh[i] as Measures)[index] as number) - mean;
        shift += after - before;
        squares += after * after - before * before;
      }
      const variance = squares / count - (shift / count) * (shift / count);
      score += (weights[index] as number) * Math.sqrt(variance < 0 ? 0 : variance);
    }
    for (const index of sums) score += (weights[index] as number) * this.changedSum(index, changed);
    for (const index of ofOfflineNodes) {
      score += (weights[index] as number) * this.changedOfflineSum(index, changed);
    }
    return score;
  }

  /** The score, equal to the last bit to Ganeti's own computation. */
  exact(changed: readonly number[]): number {
    this.settle();
    if (this.onlineCount === 0) return 0;
    this.measure(changed);
    const values = new Float64Array(this.statistics);
    for (const index of ofOnlineNodes) {
      if (this.isChanged(index, changed)) values[index] = this.withChanges(index, changed);
    }
    for (const index of ofOfflineNodes) {
      values[index] = this.changedOfflineSum(index, changed);
    }
    values[at.locationPairs] = this.pairValue(changed);
    return this.weighted(values);
  }

  private weighted(values: Float64Array): number {
    if (this.onlineCount === 0) return 0;
    let score = 0;
    for (let i = 0; i < componentCount; i++)
      score += (weights[i] as number) * (values[i] as number);
    return score;
  }

  private read(node: number): void {
    const place = this.position[node] as number;
    const measured = measureNode(this.cluster, node);
    if (this.cluster.facts.offline[node] === 1) {
      (this.offlineColumns[0] as Float64Array)[place] = measured[at.offlineAll] as number;
      (this.offlineColumns[1] as Float64Array)[place] = measured[at.offlinePrimary] as number;
      return;
    }
    for (let i = 0; i < componentCount; i++) {
      (this.columns[i] as Float64Array)[place] = measured[i] as number;
    }
  }

  private settle(): void {
    if (!this.stale) return;
    this.stale = false;
    for (const index of ofOnlineNodes) {
      this.statistics[index] = this.statisticOf(index);
    }
    for (const index of ofOfflineNodes) {
      this.statistics[index] = this.changedOfflineSum(index, []);
    }
    this.statistics[at.locationPairs] = this.pairValue([]);
  }

  /** Stores mean and squares for `estimate`. */
  private statisticOf(index: number): number {
    const column = this.columns[index] as Float64Array;
    const total = sumOf(column);
    this.totals[index] = total;
    if (sums.includes(index)) return total;
    const mean = total / column.length;
    const squares = squaresAround(column, mean);
    this.means[index] = mean;
    this.squares[index] = squares;
    return Math.sqrt(squares / column.length);
  }

  private measure(changed: readonly number[]): void {
    for (let i = 0; i < changed.length; i++) {
      this.fresh[i] = measureNode(this.cluster, changed[i] as number);
    }
  }

  /** Column position of an online node of the list, else -1. */
  private onlinePlace(node: number): number {
    return this.cluster.facts.offline[node] === 1 ? -1 : (this.position[node] as number);
  }

  private isChanged(index: number, changed: readonly number[]): boolean {
    const column = this.columns[index] as Float64Array;
    return changed.some((node, i) => {
      const place = this.onlinePlace(node);
      return place >= 0 && column[place] !== (this.fresh[i] as Measures)[index];
    });
  }

  private withChanges(index: number, changed: readonly number[]): number {
    const column = this.columns[index] as Float64Array;
    const kept = changed.map((node, i) => {
      const place = this.onlinePlace(node);
      const before = column[place];
      if (place >= 0) column[place] = (this.fresh[i] as Measures)[index] as number;
      return before;
    });
    const total = sumOf(column);
    const mean = total / column.length;
    const value = sums.includes(index)
      ? total
      : Math.sqrt(squaresAround(column, mean) / column.length);
    for (let i = changed.length - 1; i >= 0; i--) {
      const place = this.onlinePlace(changed[i] as number);
      if (place >= 0) column[place] = kept[i] as number;
    }
    return value;
  }

  private changedSum(index: number, changed: readonly number[]): number {
    const column = this.columns[index] as Float64Array;
    let total = this.statistics[index] as number;
    for (let i = 0; i < changed.length; i++) {
      const place = this.onlinePlace(changed[i] as number);
      if (place < 0) continue;
      total += ((this.fresh[i] as Measures)[index] as number) - (column[place] as number);
    }
    return total;
  }

  private changedOfflineSum(index: number, changed: readonly number[]): number {
    const column = this.offlineColumns[index - at.offlineAll] as Float64Array;
    let total = sumOf(column);
    for (let i = 0; i < changed.length; i++) {
      const node = changed[i] as number;
      const place = this.position[node] as number;
      if (place < 0 || this.cluster.facts.offline[node] === 0) continue;
      total += ((this.fresh[i] as Measures)[index] as number) - (column[place] as number);
    }
    return total;
  }

  private hasPairs(node: number): boolean {
    return (this.cluster.locationPairs[node] as Counts).size > 0;
  }

  private countPairs(pairs: Counts, sign: 1 | -1): void {
    for (const [key, count] of pairs) {
      this.pairTotals.set(key, (this.pairTotals.get(key) ?? 0) + sign * count);
    }
  }

  /** Pairs of location and exclusion tag beyond the first of each kind, over all online nodes. */
  private pairValue(changed: readonly number[]): number {
    if (this.pairTotals.size === 0 && changed.every((node) => !this.hasPairs(node))) return 0;
    const differing = changed.filter(
      (node) =>
        this.onlinePlace(node) >= 0 && this.cluster.locationPairs[node] !== this.pairsOf[node],
    );
    for (const node of differing) {
      this.countPairs(this.pairsOf[node] as Counts, -1);
      this.countPairs(this.cluster.locationPairs[node] as Counts, 1);
    }
    let value = 0;
    for (const count of this.pairTotals.values()) if (count > 0) value += count - 1;
    for (const node of differing) {
      this.countPairs(this.cluster.locationPairs[node] as Counts, -1);
      this.countPairs(this.pairsOf[node] as Counts, 1);
    }
    return value;
  }
}

/** Components of the score of these nodes, in order of addition; empty if none is online. */
export function metricsOf(
  cluster: Cluster,
  nodes: readonly number[],
): readonly { readonly component: Component; readonly value: number }[] {
  if (nodes.every((node) => cluster.facts.offline[node] === 1)) return [];
  const { values } = new ScoreBoard(cluster, nodes);
  return components.map((component, at) => ({ component, value: values[at] as number }));
}

/** The current score of these nodes. */
export const scoreOf = (cluster: Cluster, nodes: readonly number[]): number =>
  new ScoreBoard(cluster, nodes).score;
