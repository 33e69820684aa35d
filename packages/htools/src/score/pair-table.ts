/**
 * Scores of all pairs (primary, secondary) of online nodes for one instance, ordered so that few of them are
 * computed.
 *
 * Some components of the score depend on the primary alone, some on the secondary alone, and five on both
 * (disk, disk load and spindles; the latter two also as planned). With A(p) the sum of the first, and B(s)
 * that of the second plus the minimum of the five over all primaries, score(p, s) >= A(p) + B(s). Secondaries
 * are sorted by B, so a row ends as soon as the bound exceeds the best score found.
 *
 * Cost: O(components) per computed pair, by the same operations in the same order as `scoreAfter`.
 */
import { at, deviations, type Measures, weights } from "./metrics.js";
import { ofBoth as coupled } from "./role-components.js";
import { changedVariance } from "./running-score.js";
import type { ScoreStatistics } from "./score-board.js";

export interface PrimaryOption {
  readonly node: number;
  readonly before: Measures;
  readonly after: Measures;
  /** Location and exclusion pairs of the whole list, with the instance on this node. */
  readonly pairs: number;
}

export interface SecondaryOption {
  readonly node: number;
  readonly before: Measures;
  readonly after: Measures;
}

/** Components that depend on the primary alone. */
const ofPrimary: readonly number[] = [
  ...deviations.filter((index) => !coupled.includes(index) && index !== at.reserved),
  at.n1,
  at.offlineAll,
  at.offlinePrimary,
  at.tags,
  at.location,
  at.locationPairs,
];

/**
 * Tolerance for rounding between bound and score; far above any observed. Rounding matters in roots of small
 * variances, to which one of many nodes adds little: sums of many terms are as accurate as those of few.
 */
const roundingSlack = (score: number, count: number): number =>
  1e-7 * Math.max(1, Math.abs(score) * Math.min(1, 100 / count));

interface Row {
  readonly option: PrimaryOption;
  /** A(p). */
  readonly own: number;
  /** A(p) plus the coupled components without a secondary; rows are visited in this order. */
  readonly promise: number;
  /** Weighted terms of the components that the primary alone determines. */
  readonly terms: readonly number[];
  readonly totals: readonly number[];
  readonly variances: readonly number[];
}

export class PairTable {
  // Values of `scoreStatistics`, as plain arrays.
  private readonly values: number[];
  private readonly totals: number[];
  private readonly variances: number[];
  private readonly rows: Row[];
  /** By node: A(p), and the minimum of the coupled components with this secondary. */
  private readonly ownTerms: number[] = [];
  private readonly coupledBounds: number[] = [];
  private readonly secondaries: SecondaryOption[];
  /** B(s), in ascending order. */
  private readonly bounds: Float64Array;
  private readonly reservedTerms: Float64Array;
  private readonly reservedShifts: Float64Array;
  private readonly n1Shifts: Float64Array;
  /** By node: the number of the last row it was skipped in. */
  private readonly skipped: Int32Array;
  private rowsVisited = 0;
  private readonly shifts: Float64Array[];
  private readonly squares: Float64Array[];

  constructor(
    private readonly scoreStatistics: ScoreStatistics,
    primaries: readonly PrimaryOption[],
    secondaries: readonly SecondaryOption[],
    /** Number of location tags that two nodes share; undefined if there are none. */
    private readonly sharedLocations: ((a: number, b: number) => number) | undefined,
  ) {
    this.values = Array.from(scoreStatistics.values);
    this.totals = Array.from(scoreStatistics.totals);
    this.variances = Array.from(scoreStatistics.variances);
    this.rows = primaries.map((option) => this.makeRow(option));
    this.rows.sort((a, b) => a.promise - b.promise);
    for (const { option, own } of this.rows) this.ownTerms[option.node] = own;
    const bounded = secondaries.map((option) => ({ option, bound: this.bound(option) }));
    bounded.sort((a, b) => a.bound - b.bound);
    this.secondaries = bounded.map(({ option }) => option);
    const highestNode = [...primaries, ...secondaries].reduce(
      (max, { node }) => Math.max(max, node),
      -1,
    );
    this.skipped = new Int32Array(highestNode + 1);
    const column = (value: (option: SecondaryOption) => number) =>
      new Float64Array(this.secondaries.map(value));
    this.bounds = new Float64Array(bounded.map(({ bound }) => bound));
    this.reservedTerms = column((option) => this.reservedTerm(option));
    this.reservedShifts = column((option) => shiftOf(option, at.reservedTotal));
    this.n1Shifts = column((option) => shiftOf(option, at.n1));
    this.shifts = coupled.map((index) => column((option) => shiftOf(option, index)));
    this.squares = coupled.map((index) => column((option) => squaresOf(option, index)));
  }

  /**
   * Visits pairs whose score may be below `limit()`, which may decrease meanwhile; scores of visited pairs
   * are exact. Secondaries in `skip`, and the primary itself, are left out for that primary.
   */
  visit(
    primaries: ReadonlySet<number>,
    limit: () => number,
    skip: (primary: number) => Iterable<number>,
    visitor: (primary: number, secondary: number, score: number) => void,
  ): void {
    for (const row of this.rows) {
      const { node } = row.option;
      if (primaries.has(node)) this.visitRow(row, limit, skip(node), visitor);
    }
  }

  /**
   * Lower bound of a pair's score, whatever additional memory the secondary has to reserve: A(p), the present
   * reservation, and the minimum of the coupled components.
   */
  leastScore(primary: number, secondary: number): number {
    const { values, count } = this.scoreStatistics;
    const reserved = (weights[at.reservedTotal] as number) * (values[at.reservedTotal] as number);
    const least = (this.ownTerms[primary] ?? 0) + reserved + (this.coupledBounds[secondary] ?? 0);
    return least - roundingSlack(least, count);
  }

  private visitRow(
    row: Row,
    limit: () => number,
    skip: Iterable<number>,
    visitor: (primary: number, secondary: number, score: number) => void,
  ): void {
    const { secondaries, bounds, skipped } = this;
    const primary = row.option.node;
    const mark = ++this.rowsVisited;
    skipped[primary] = mark;
    for (const node of skip) skipped[node] = mark;
    const { count } = this.scoreStatistics;
    const reach = (score: number) => score - row.own + roundingSlack(score, count);
    let known = limit();
    let highest = reach(known);
    for (let k = 0; k < secondaries.length; k++) {
      if ((bounds[k] as number) > highest) return;
      const secondary = (secondaries[k] as SecondaryOption).node;
      if (skipped[secondary] === mark) continue;
      visitor(primary, secondary, this.score(row, k));
      const now = limit();
      if (now !== known) {
        known = now;
        highest = reach(now);
      }
    }
  }

  /** Adds the components up in their order. */
  private score(row: Row, k: number): number {
    const { terms } = row;
    const { sharedLocations, secondaries } = this;
    const shared = sharedLocations
      ? sharedLocations(row.option.node, (secondaries[k] as SecondaryOption).node)
      : 0;
    let score = terms[0] as number;
    score += this.coupledTerm(row, k, 0);
    score += (terms[at.n1] as number) + (this.n1Shifts[k] as number);
    score += this.reservedTerms[k] as number;
    score += terms[at.offlineAll] as number;
    score += terms[at.offlinePrimary] as number;
    score += terms[at.vcpus] as number;
    score += terms[at.loadCpu] as number;
    score += terms[at.loadMemory] as number;
    score += this.coupledTerm(row, k, 1);
    score += terms[at.loadNetwork] as number;
    score += terms[at.tags] as number;
    score += this.coupledTerm(row, k, 2);
    score += terms[at.memoryFreePlanned] as number;
    score += this.coupledTerm(row, k, 3);
    score += terms[at.vcpusPlanned] as number;
    score += this.coupledTerm(row, k, 4);
    score += (terms[at.location] as number) + shared;
    score += terms[at.locationPairs] as number;
    const reserved = (row.totals[at.reservedTotal] as number) + (this.reservedShifts[k] as number);
    return score + (weights[at.reservedTotal] as number) * reserved;
  }

  private coupledTerm(row: Row, k: number, which: number): number {
    const index = coupled[which] as number;
    const { count } = this.scoreStatistics;
    const shift = (this.shifts[which] as Float64Array)[k] as number;
    const squares = (this.squares[which] as Float64Array)[k] as number;
    const total = row.totals[index] as number;
    const change = count * squares - 2 * total * shift - shift * shift;
    const variance = (row.variances[index] as number) + change / (count * count);
    return (weights[index] as number) * Math.sqrt(variance >= 0 ? variance : 0);
  }

  private makeRow(option: PrimaryOption): Row {
    const { scoreStatistics } = this;
    const terms = this.values.slice();
    const totals = this.totals.slice();
    const variances = this.variances.slice();
    for (const index of deviations) {
      const before = option.before[index] as number;
      const after = option.after[index] as number;
      const total = totals[index] as number;
      const variance = variances[index] as number;
      variances[index] = changedVariance(variance, total, scoreStatistics.count, before, after);
      totals[index] = total + (after - before);
      terms[index] = (weights[index] as number) * Math.sqrt(variances[index] as number);
    }
    for (const index of [at.n1, at.tags, at.location, at.reservedTotal]) {
      const shift = (option.after[index] as number) - (option.before[index] as number);
      totals[index] = (this.values[index] as number) + shift;
      terms[index] = (weights[index] as number) * (totals[index] as number);
    }
    for (const index of [at.offlineAll, at.offlinePrimary]) {
      terms[index] = (weights[index] as number) * (this.values[index] as number);
    }
    terms[at.locationPairs] = (weights[at.locationPairs] as number) * option.pairs;
    let own = 0;
    for (const index of ofPrimary) own += terms[index] as number;
    let promise = own;
    for (const index of coupled) promise += terms[index] as number;
    return { option, own, promise, terms, totals, variances };
  }

  /** B(s), which requires the rows. */
  private bound(option: SecondaryOption): number {
    const { scoreStatistics } = this;
    const { count } = scoreStatistics;
    let coupledBound = 0;
    const alone =
      this.reservedTerm(option) +
      shiftOf(option, at.n1) +
      (weights[at.reservedTotal] as number) *
        ((scoreStatistics.values[at.reservedTotal] as number) + shiftOf(option, at.reservedTotal));
    for (const [which, index] of coupled.entries()) {
      const shift = shiftOf(option, index);
      const { least, lowest, highest } = this.extremes[which] as Extremes;
      const total = scoreStatistics.totals[index] as number;
      const change = count * squaresOf(option, index) - 2 * total * shift - shift * shift;
      const coupling = 2 * Math.max(lowest * shift, highest * shift);
      const variance = least + (change - coupling) / (count * count);
      coupledBound += (weights[index] as number) * Math.sqrt(variance >= 0 ? variance : 0);
    }
    this.coupledBounds[option.node] = coupledBound;
    return alone + coupledBound;
  }

  private extremesKnown: Extremes[] | undefined;

  /** Over all primaries: least variance of each coupled component, and the range of its shift. */
  private get extremes(): Extremes[] {
    this.extremesKnown ??= coupled.map((index) => {
      const extremes = { least: Infinity, lowest: Infinity, highest: -Infinity };
      for (const { option, variances } of this.rows) {
        const shift = shiftOf(option, index);
        extremes.least = Math.min(extremes.least, variances[index] as number);
        extremes.lowest = Math.min(extremes.lowest, shift);
        extremes.highest = Math.max(extremes.highest, shift);
      }
      return extremes;
    });
    return this.extremesKnown;
  }

  /** A primary reserves nothing, so this component is the secondary's alone. */
  private reservedTerm(option: SecondaryOption): number {
    const { scoreStatistics } = this;
    const index = at.reserved;
    const variance = changedVariance(
      scoreStatistics.variances[index] as number,
      scoreStatistics.totals[index] as number,
      scoreStatistics.count,
      option.before[index] as number,
      option.after[index] as number,
    );
    return (weights[index] as number) * Math.sqrt(variance);
  }
}

interface Extremes {
  least: number;
  lowest: number;
  highest: number;
}

const shiftOf = (option: PrimaryOption | SecondaryOption, index: number): number =>
  (option.after[index] as number) - (option.before[index] as number);

function squaresOf(option: SecondaryOption, index: number): number {
  const before = option.before[index] as number;
  const after = option.after[index] as number;
  return after * after - before * before;
}
