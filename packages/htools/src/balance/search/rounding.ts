/** Error bounds of estimates due to rounding. If variances nearly vanish, square roots magnify the error. */
import { type ColumnSet, root } from "./column-set.js";
import { leastProduct } from "./least-product.js";
import type { VictimTable } from "./victim-table.js";

/** Error bound for any move of one victim. */
export function uncertainty(
  table: VictimTable,
  row: number,
  columns: ColumnSet,
  score: number,
): number {
  const { width } = columns;
  let error = 1e-12 * Math.max(1, Math.abs(score));
  for (let column = 0; column < width; column++) {
    const wrong = wrongness(columns, column, reachOf(table, row, column));
    if (wrong === 0) continue;
    const variance = leastVariance(table, row, columns, column);
    error += ((columns.weights[column] as number) * wrong) / Math.sqrt(Math.max(wrong, variance));
  }
  return error;
}

/**
 * Lower bound of a column's variance after any move of a victim. In the column of the reserved memory, the mirror
 * node may have to reserve memory for the mirror in addition to what it already reserves.
 */
export function leastVariance(
  table: VictimTable,
  row: number,
  columns: ColumnSet,
  column: number,
): number {
  const { count } = columns;
  const least = table.get(row, table.leastShifts, column);
  const most = table.get(row, table.mostShifts, column);
  const kept = Math.max(0, most);
  const shift = reachOf(table, row, column);
  const sumLow = 2 * (columns.lows[column] as number) + least - 2 * kept;
  const sumHigh = 2 * (columns.highs[column] as number) + most + 2 * kept;
  const squares =
    table.get(row, table.lowSquares, column) + leastProduct(least, most, sumLow, sumHigh);
  const bend = shift * (2 * Math.abs(columns.totals[column] as number) + shift);
  return (columns.variances[column] as number) + (squares - bend / count) / count;
}

/** Maximum change of the sum of a column's figures by a move. */
function reachOf(table: VictimTable, row: number, column: number): number {
  const own = table.get(row, table.highShifts, column) - table.get(row, table.lowShifts, column);
  return table.reach(row, column) + own;
}

/**
 * Coarser error bounds for any move of any victim. Square roots magnify the error only where the deviation may vanish.
 * @param shifts by column, the maximum change of a figure by a move
 */
export function coarseUncertainty(
  columns: ColumnSet,
  score: number,
  shifts: Float64Array,
): CoarseUncertainty {
  let steady = 1e-12 * Math.max(1, Math.abs(score));
  let vanishing = 0;
  for (let column = 0; column < columns.width; column++) {
    const shift = shifts[column] as number;
    const weight = columns.weights[column] as number;
    const wrong = wrongness(columns, column, 3 * shift);
    const least = leastDeviation(columns, column, shift);
    if (least * least > wrong) steady += (weight * wrong) / least;
    else vanishing += weight * Math.sqrt(wrong);
  }
  return { steady, total: steady + vanishing };
}

/** Error bounds of estimates: in all columns, and in those whose deviation remains after any move. */
interface CoarseUncertainty {
  readonly steady: number;
  readonly total: number;
}

/**
 * Lower bound of a column's deviation after any move. A move changes the figures of at most three nodes, by `shift` at
 * most, so that the vector of all figures moves by sqrt(3) shift at most; the deviation is its distance from the
 * vectors of equal figures, divided by sqrt(n).
 */
export function leastDeviation(
  { variances, count }: ColumnSet,
  column: number,
  shift: number,
): number {
  return Math.max(0, root(variances[column] as number) - Math.sqrt(3 / count) * shift);
}

/** Error bound of a computed variance after figures have shifted by up to `shift`. */
function wrongness({ lows, highs, variances, count }: ColumnSet, column: number, shift: number) {
  const largest = Math.max(Math.abs(lows[column] as number), Math.abs(highs[column] as number));
  const size = largest + shift;
  return 2 ** -49 * (count * (variances[column] as number) + 16 * size * size);
}
