/** Changes of the variance of a component by the placement of an instance on each of several nodes. */
import { weights } from "./metrics.js";
import type { RoleEffects } from "./role-effects.js";
import type { ScoreColumns } from "./score-columns.js";

/** A deviation component, with those that have the same values. */
export interface Term {
  readonly component: number;
  readonly weight: number;
}

/**
 * Twins are counted with the component that has the same values.
 * @param leaders by component, the component that has the same values
 */
export function termsOf(components: readonly number[], leaders: readonly number[]): Term[] {
  return components
    .filter((component) => leaders[component] === component)
    .map((component) => {
      let weight = 0;
      for (const [other, leader] of leaders.entries()) {
        if (leader === component) weight += weights[other] as number;
      }
      return { component, weight };
    });
}

/** Bounds of the changes of a variance, and of the shifts of the values that cause them. */
export interface Changes {
  /** The lowest and the highest change of the variance. */
  readonly lowest: number;
  readonly highest: number;
  /** Magnitude of the numbers whose differences are the changes: rounding errors are of its order. */
  readonly largest: number;
  /** The least and the greatest shift of a value. */
  readonly least: number;
  readonly most: number;
}

/**
 * Change of the variance by each place alone. O(places).
 * @param changes receives them, by place
 */
export function varianceChanges(
  { count, totals }: ScoreColumns,
  component: number,
  role: RoleEffects,
  places: readonly number[],
  changes: Float64Array,
): Changes {
  const shifts = role.shifts[component] as Float64Array;
  const squares = role.squares[component] as Float64Array;
  const total = totals[component] as number;
  let lowest = Number.POSITIVE_INFINITY;
  let highest = Number.NEGATIVE_INFINITY;
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  let largest = 0;
  for (let i = 0; i < places.length; i++) {
    const place = places[i] as number;
    const shift = shifts[place] as number;
    const grown = count * (squares[place] as number);
    const moved = 2 * total * shift;
    const change = (grown - moved - shift * shift) / (count * count);
    changes[place] = change;
    largest = Math.max(largest, Math.abs(grown), Math.abs(moved));
    if (change < lowest) lowest = change;
    if (change > highest) highest = change;
    if (shift < least) least = shift;
    if (shift > most) most = shift;
  }
  return { lowest, highest, least, most, largest: (2 * largest) / (count * count) };
}
