/** Sums over a column, in index order: the order decides about the last digits of a score. */

export function sumOf(column: Float64Array): number {
  let total = 0;
  for (let i = 0; i < column.length; i++) total += column[i] as number;
  return total;
}

/** Squares of the distances from the mean, added up. */
export function squaresAround(column: Float64Array, mean: number): number {
  let squares = 0;
  for (let i = 0; i < column.length; i++) {
    const deviation = (column[i] as number) - mean;
    squares += deviation * deviation;
  }
  return squares;
}
