/**
 * Stable merge sort that starts from existing runs. Only NaN scores require this algorithm: comparisons then
 * answer "greater" both ways, and the result depends on which comparisons are made. Finds ascending and
 * strictly descending runs, then merges neighbours until one is left.
 */
export function naturalSort<T>(items: readonly T[], greater: (a: T, b: T) => boolean): T[] {
  let runs = findRuns(items, greater);
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      const next = runs[i + 1];
      merged.push(next ? merge(runs[i] as T[], next, greater) : (runs[i] as T[]));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function findRuns<T>(items: readonly T[], greater: (a: T, b: T) => boolean): T[][] {
  const runs: T[][] = [];
  for (let from = 0; from < items.length; ) {
    const item = (index: number) => items[index] as T;
    let to = from + 1;
    const descending = to < items.length && greater(item(from), item(to));
    while (to < items.length && greater(item(to - 1), item(to)) === descending) to++;
    const run = items.slice(from, to);
    runs.push(descending ? run.reverse() : run);
    from = to;
  }
  return runs;
}

function merge<T>(left: readonly T[], right: readonly T[], greater: (a: T, b: T) => boolean): T[] {
  const merged: T[] = [];
  let i = 0;
  let j = 0;
  while (i < left.length && j < right.length) {
    const takeRight = greater(left[i] as T, right[j] as T);
    merged.push((takeRight ? right[j++] : left[i++]) as T);
  }
  return [...merged, ...left.slice(i), ...right.slice(j)];
}
