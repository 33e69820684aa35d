/**
 * Deviations of a column of numbers with one of them changed, for many such changes at once, each equal to
 * the last bit to a separate computation in index order: first the sum, then the squares about its mean.
 *
 * Sums that differ in one number usually become the same double a few additions later, and are then continued
 * as one. Cost: O(numbers) if the changes are alike, O(numbers x changes) at worst.
 */

/**
 * @param places positions of the changes, ascending
 * @param after new number at a place
 * @returns one deviation for each change, in the order of `places`
 */
export function changedDeviations(
  column: Float64Array,
  places: readonly number[],
  after: Float64Array,
): Float64Array {
  const deviations = new Float64Array(places.length);
  const count = column.length;
  const all = places.map((_, change) => change);
  for (const { sum, changes } of changedSums(column, places, after, all, undefined)) {
    const mean = sum / count;
    for (const one of changedSums(column, places, after, changes, mean)) {
      const deviation = Math.sqrt(one.sum / count);
      for (const change of one.changes) deviations[change] = deviation;
    }
  }
  return deviations;
}

interface Running {
  sum: number;
  /** Ascending within each merged part. */
  changes: number[];
}

/**
 * The sums, each with the changes that have this sum.
 * @param mean if defined, the squares of the distances to it are added; otherwise the numbers themselves
 */
function changedSums(
  column: Float64Array,
  places: readonly number[],
  after: Float64Array,
  changes: readonly number[],
  mean: number | undefined,
): readonly Running[] {
  const term = (value: number) => {
    if (mean === undefined) return value;
    const distance = value - mean;
    return distance * distance;
  };
  const inOrder = changes.toSorted((a, b) => a - b);
  let running: Running[] = [];
  let unchanged = 0;
  let next = 0;
  for (let place = 0; place < column.length; place++) {
    const added = term(column[place] as number);
    for (let i = 0; i < running.length; i++) (running[i] as Running).sum += added;
    const change = inOrder[next];
    if (change !== undefined && places[change] === place) {
      next++;
      running.push({ sum: unchanged + term(after[place] as number), changes: [change] });
      if (running.length > 1) running = joined(running);
    }
    unchanged += added;
  }
  return joined(running);
}

/** Merges entries with the same sum. */
function joined(running: Running[]): Running[] {
  const kept: Running[] = [];
  for (const one of running) {
    const same = kept.find(({ sum }) => sum === one.sum);
    if (same) same.changes.push(...one.changes);
    else kept.push(one);
  }
  return kept;
}
