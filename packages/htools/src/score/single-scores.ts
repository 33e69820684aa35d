/**
 * Scores of single nodes as the next place of an instance: estimates with a bound of their error for all of them, and the
 * exact score of one.
 */
import { squaresAround, sumOf } from "./column-sums.js";
import { at, components, type Measures, weights } from "./metrics.js";
import { ofPrimary } from "./role-components.js";
import type { RoleEffects } from "./role-effects.js";
import { type ScoreColumns, weighted } from "./score-columns.js";
import { scratchOf } from "./scratch.js";
import { type Changes, termsOf, varianceChanges } from "./variance-changes.js";

/** Components that do not follow from the shifts of a primary. */
const apart: readonly number[] = components.flatMap((_, component) =>
  ofPrimary.includes(component) ? [] : [component],
);

export class SingleScores {
  /** By place; after `renew`, of its places only. */
  readonly estimates: Float64Array;
  /** Maximum difference between an estimate and the exact score. */
  slack = 0;
  private readonly changes: Float64Array;
  /** By component, the component that has the same values. */
  private readonly leaders: readonly number[];

  /**
   * @param columns settled ones
   * @param effects columns that are equal stay equal
   */
  constructor(
    private readonly columns: ScoreColumns,
    private readonly effects: RoleEffects,
  ) {
    const { primaries, changesOfPrimary } = scratchOf(columns);
    this.estimates = primaries;
    this.changes = changesOfPrimary;
    this.leaders = weights.map((_, component) => columns.leaderOf(component));
  }

  /** Estimates these places. O(components) each. */
  renew(places: readonly number[]): void {
    const { estimates, changes, columns, effects, leaders } = this;
    const { values, variances } = columns;
    let base = 0;
    for (const component of apart) {
      base += (weights[component] as number) * (values[component] as number);
    }
    const n1Weight = weights[at.n1] as number;
    for (const place of places) {
      estimates[place] = base + n1Weight * (effects.n1Shifts[place] as number);
    }
    this.slack = 0;
    for (const { component, weight } of termsOf(ofPrimary, leaders)) {
      const bounds = varianceChanges(columns, component, effects, places, changes);
      const variance = variances[component] as number;
      for (const place of places) {
        const after = variance + (changes[place] as number);
        estimates[place] = (estimates[place] as number) + weight * Math.sqrt(after > 0 ? after : 0);
      }
      this.slack += weight * this.rootErrorOf(component, bounds);
    }
    let largest = 1;
    for (const place of places) largest = Math.max(largest, Math.abs(estimates[place] as number));
    this.slack += 1e-14 * largest;
  }

  /**
   * Maximum difference between the root of an updated variance and that of a variance added up again. A sum of n numbers
   * has an error of n u times the sum of their magnitudes (u = 2^-53): for the mean of numbers of root mean square r, at
   * most n u r; for the sum of squares, n u times that sum and n times the square of the error of the mean.
   */
  private rootErrorOf(component: number, { lowest, highest, largest, least, most }: Changes) {
    const { count, totals, variances } = this.columns;
    const variance = variances[component] as number;
    const mean = (totals[component] as number) / count;
    const meanSquare = variance + mean * mean;
    const shift = Math.max(Math.abs(least), Math.abs(most));
    const unit = 2 ** -52;
    const ofSums = (count + 8) * (variance + Math.max(highest, -lowest) + largest);
    const ofTotal = 2 * shift * Math.sqrt(meanSquare);
    const ofMeans = 2 * unit * count * count * (meanSquare + shift * shift);
    const error = unit * (ofSums + ofTotal + ofMeans);
    const low = variance + lowest;
    return low > error ? error / Math.sqrt(low) : Math.sqrt(2 * error);
  }

  /**
   * The score after the measures of a place have become these, equal to the last bit to Ganeti's own computation: both
   * passes again for each component that changes. O(nodes x components).
   */
  exact(place: number, after: Measures): number {
    const { columns, leaders } = this;
    const values = columns.values.slice();
    for (const [component, { statistic }] of components.entries()) {
      if (statistic !== "deviation" && statistic !== "sum") continue;
      const column = columns.columns[component] as Float64Array;
      const [before, now] = [column[place] as number, after[component] as number];
      if (before === now) continue;
      const leader = leaders[component] as number;
      if (leader !== component) {
        values[component] = values[leader] as number;
        continue;
      }
      column[place] = now;
      const total = sumOf(column);
      values[component] =
        statistic === "sum"
          ? total
          : Math.sqrt(squaresAround(column, total / column.length) / column.length);
      column[place] = before;
    }
    return weighted(values);
  }
}
