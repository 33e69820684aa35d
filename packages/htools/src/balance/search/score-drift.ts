/**
 * Lower bound of the change of a victim's move scores from one state to the next, without examining its targets.
 * The changes a move makes on its own nodes and its target stay the same as long as these nodes do; when other
 * instances move, only the variances that the changes are added to differ.
 */
import { type ColumnSet, root } from "./column-set.js";
import { leastProduct } from "./least-product.js";
import type { VictimTable } from "./victim-table.js";

/** The statistics of a column set at one time. */
export interface Statistics {
  readonly totals: Float64Array;
  readonly variances: Float64Array;
  readonly lows: Float64Array;
  readonly highs: Float64Array;
  /** The score without the terms in the columns. */
  readonly constant: number;
}

export function statisticsOf(columns: ColumnSet, constant: number): Statistics {
  return {
    totals: columns.totals.slice(),
    variances: columns.variances.slice(),
    lows: columns.lows.slice(),
    highs: columns.highs.slice(),
    constant,
  };
}

/** Lower bound of the change of the scores of a victim's moves to unchanged targets (mostly negative). */
export function drift(
  table: VictimTable,
  row: number,
  columns: ColumnSet,
  before: Statistics,
  after: Statistics,
): number {
  const { data } = table;
  const { count, width, reservedAt } = columns;
  const inverse = 1 / count;
  let change = after.constant - before.constant;
  for (let column = 0; column < width; column++) {
    const at = row + column;
    const least = data[at + table.leastShifts] as number;
    const most = data[at + table.mostShifts] as number;
    // The mirror node's reserved memory may lie outside of this range before the move.
    const margin = column === reservedAt ? most : 0;
    const sumLow = 2 * ((before.lows[column] as number) - margin) + least;
    const sumHigh = 2 * ((before.highs[column] as number) + margin) + most;
    const shiftLow = (data[at + table.lowShifts] as number) + least;
    const shiftHigh = (data[at + table.highShifts] as number) + most;
    const total = before.totals[column] as number;
    const moved = Math.abs((after.totals[column] as number) - total);
    const shift = Math.max(-shiftLow, shiftHigh);
    const old = before.variances[column] as number;
    const now = (after.variances[column] as number) - 2 * shift * moved * inverse * inverse;
    const weight = columns.weights[column] as number;
    if (now >= old) {
      const product = -leastProduct(-most, -least, sumLow, sumHigh);
      const squares = (data[at + table.highSquares] as number) + product;
      const high = (squares + total * total * inverse) * inverse;
      change += weight * (root(now + high) - root(old + high));
      continue;
    }
    const product = leastProduct(least, most, sumLow, sumHigh);
    const squares = (data[at + table.lowSquares] as number) + product;
    const bend = Math.max(shiftLow * (2 * total + shiftLow), shiftHigh * (2 * total + shiftHigh));
    const low = (squares - bend * inverse) * inverse;
    const fall = now + low >= 0 ? Math.sqrt(now + low) - root(old + low) : -Math.sqrt(old - now);
    change += weight * fall;
  }
  return change;
}
