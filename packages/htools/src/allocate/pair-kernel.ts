/**
 * Search for the best pair of nodes by the kernel: the result of `PairTable`, without creating objects for
 * each row.
 */

import { type Kernel, makeKernel } from "../model/kernel.js";
import { componentCount, weights } from "../score/metrics.js";
import { leastPairScore, type PrimaryOption, type SecondaryOption } from "../score/pair-table.js";
import type { ScoreStatistics } from "../score/score-board.js";

export interface PairsFound {
  /** The pair of the lowest score; among equals the later primary, then the later secondary. */
  readonly best: Pair | undefined;
  /** See `PairTable.leastScore`. */
  readonly leastScore: (primary: number, secondary: number) => number;
}

/** State of each node as the primary, and as the secondary, of a pair. */
interface PairOptions {
  readonly primaries: readonly PrimaryOption[];
  readonly secondaries: readonly SecondaryOption[];
}

interface Pair {
  readonly primary: number;
  readonly secondary: number;
  readonly score: number;
}

/** One instance is enough: searches never overlap. */
let shared: Kernel | undefined;

/**
 * Examines the pairs of `chosen` primaries with all secondaries except themselves and those in `skip`; all
 * nodes must be online and share no locations. Undefined without WebAssembly.
 */
export function findPair(
  scoreStatistics: ScoreStatistics,
  { primaries, secondaries }: PairOptions,
  nodeCount: number,
  chosen: ReadonlySet<PrimaryOption>,
  skip: (primary: number) => readonly number[],
): PairsFound | undefined {
  shared ??= makeKernel();
  if (shared === undefined) return undefined;
  const kernel = shared;
  const [p, s] = [primaries.length, secondaries.length];
  const skips = primaries.map(({ node }) => skip(node));
  const skipCount = skips.reduce((count, list) => count + list.length, 0);
  const numbers = componentCount * (7 + 2 * p + 2 * s) + p + 2 * s + 2 * nodeCount;
  const begin = kernel.reserve(8 * numbers + 4 * (8 * p + 8 * s + 4 + skipCount + 2 * nodeCount));
  if (begin === 0) return undefined;

  // In the order of `layOutPairs` in `wasm/pair-layout.ts`.
  kernel.layOutPairs(begin, p, s, nodeCount, skipCount);
  const { buffer } = kernel.memory;
  let at = begin;
  const nextNumbers = (rows: number): Float64Array => {
    at += 8 * rows;
    return new Float64Array(buffer, at - 8 * rows, rows);
  };
  const next = (rows: number): Int32Array => {
    at += 4 * rows;
    return new Int32Array(buffer, at - 4 * rows, rows);
  };
  nextNumbers(componentCount).set(weights);
  nextNumbers(componentCount).set(scoreStatistics.values);
  nextNumbers(componentCount).set(scoreStatistics.totals);
  nextNumbers(componentCount).set(scoreStatistics.variances);
  setMeasures(nextNumbers(2 * componentCount * p), primaries);
  setMeasures(nextNumbers(2 * componentCount * s), secondaries);
  nextNumbers(p).set(primaries.map(({ pairs }) => pairs));
  const [ownTerms, coupledBounds] = [nextNumbers(nodeCount), nextNumbers(nodeCount)];
  nextNumbers(3 * componentCount + 2 * s);
  next(p).set(primaries.map(({ node }) => node));
  next(s).set(secondaries.map(({ node }) => node));
  next(p).set(primaries.map((option) => Number(chosen.has(option))));
  setLists(next(p), next(skipCount), skips);

  const isFound = kernel.findPair(scoreStatistics.count, p, s, nodeCount) === 1;
  return {
    best: isFound ? bestPair(kernel) : undefined,
    leastScore: (primary, secondary) =>
      leastPairScore(
        scoreStatistics,
        ownTerms[primary] as number,
        coupledBounds[secondary] as number,
      ),
  };
}

const bestPair = (kernel: Kernel): Pair => ({
  primary: kernel.bestPairPrimary(),
  secondary: kernel.bestPairSecondary(),
  score: kernel.lowestScore(),
});

/** Measures before and after, for each option. */
function setMeasures(column: Float64Array, options: readonly SecondaryOption[]): void {
  let at = 0;
  for (const { before, after } of options) {
    column.set(before, at);
    column.set(after, at + componentCount);
    at += 2 * componentCount;
  }
}

/** Concatenates the lists, with the end of each. */
function setLists(
  ends: Int32Array,
  entries: Int32Array,
  lists: readonly (readonly number[])[],
): void {
  let end = 0;
  for (const [i, list] of lists.entries()) {
    if (list.length > 0) entries.set(list, end);
    end += list.length;
    ends[i] = end;
  }
}
