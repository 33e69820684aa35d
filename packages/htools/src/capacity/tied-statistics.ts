/**
 * A deviation of a column of numbers with one of them changed, for many such changes at once, each to
 * the last bit as if added up by itself in index order: first the sum, then the squares about its mean.
 *
 * Sums that differ in one number mostly become the same double a few steps behind it; from there on
 * they are carried on as one. Cost: O(numbers) for changes alike, O(numbers x changes) at worst.
 */

/**
 * @param places where the changes are, ascending
 * @param after the number in place of the one there, by place
 * @returns for each change, in the order of `places`
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
  /** Ascending within each part that was joined. */
  changes: number[];
}

/**
 * The sums, each with the changes that lead to it.
 * @param mean adds the squares of the distances to it; undefined: the numbers themselves
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

/** Those with the same sum as one. */
function joined(running: Running[]): Running[] {
  const kept: Running[] = [];
  for (const one of running) {
    const same = kept.find(({ sum }) => sum === one.sum);
    if (same) same.changes.push(...one.changes);
    else kept.push(one);
  }
  return kept;
}
