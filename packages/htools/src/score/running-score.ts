/**
 * Incremental score: updates sums after changes of nodes instead of adding up again.
 *
 * Ganeti scores pairs of nodes this way and everything else in two passes; the two differ in the last bits,
 * which decide ties, so pairs must be scored in exactly this order of operations.
 */
import { at, componentCount, deviations, type Measures, sums, weights } from "./metrics.js";
import type { ScoreStatistics } from "./score-board.js";

/** One node's measures before and after; only those of its kind (online or offline) count. */
export interface Change {
  readonly offline: boolean;
  readonly before: Measures;
  readonly after: Measures;
}

/**
 * The variance of n numbers of sum `total` after one of them changes from `before` to `after`. Negative
 * rounding results and NaN become 0.
 */
export function changedVariance(
  variance: number,
  total: number,
  count: number,
  before: number,
  after: number,
): number {
  const shift = after - before;
  return changedVarianceBy(variance, total, count, shift, after * after - before * before);
}

/** The same, given the changes of the sum and of the sum of squares. */
export function changedVarianceBy(
  variance: number,
  total: number,
  count: number,
  shift: number,
  squares: number,
): number {
  const change = count * squares - 2 * total * shift - shift * shift;
  const changed = variance + change / (count * count);
  // Not Math.max, which would keep NaN.
  return changed >= 0 ? changed : 0;
}

/** @param pairs value of the location and exclusion pairs after the changes */
export function scoreAfter(
  scoreStatistics: ScoreStatistics,
  changes: readonly Change[],
  pairs: number,
): number {
  if (scoreStatistics.count === 0) return 0;
  const values = valuesAfter(scoreStatistics, changes, pairs);
  let score = 0;
  for (let i = 0; i < componentCount; i++) score += (weights[i] as number) * (values[i] as number);
  return score;
}

/** Each component's statistic, unweighted. */
export function valuesAfter(
  scoreStatistics: ScoreStatistics,
  changes: readonly Change[],
  pairs: number,
): Float64Array {
  const values = new Float64Array(scoreStatistics.values);
  values[at.locationPairs] = pairs;
  for (const index of deviations) {
    let total = scoreStatistics.totals[index] as number;
    let variance = scoreStatistics.variances[index] as number;
    for (const change of changes) {
      if (change.offline) continue;
      const before = change.before[index] as number;
      const after = change.after[index] as number;
      variance = changedVariance(variance, total, scoreStatistics.count, before, after);
      total += after - before;
    }
    values[index] = Math.sqrt(variance);
  }
  for (const index of [...sums, at.offlineAll, at.offlinePrimary]) {
    const countsOffline = index === at.offlineAll || index === at.offlinePrimary;
    for (const change of changes) {
      if (change.offline !== countsOffline) continue;
      const shift = (change.after[index] as number) - (change.before[index] as number);
      values[index] = (values[index] as number) + shift;
    }
  }
  return values;
}
