/**
 * Lower bounds of the score of a pair of nodes as the next place of a mirrored instance.
 *
 * A deviation after both updates is the root of y = V + a(p) + e(s) - 2 d(p) d(s) / n², with a and e of order
 * 1/n. A root lies above the chord between the ends of its range, so with the chord's slope k
 *
 *     score(p, s) >= base + A(p) + B(s)
 *
 * where A contains w k a(p) and B the rest, and the gap is of order 1/n².
 *
 * Cost: O(nodes x components).
 */
import { at, weights } from "./metrics.js";
import type { PairFigures } from "./pair-figures.js";
import { ofBoth, ofPrimaryAlone } from "./role-components.js";
import type { RoleEffects } from "./role-effects.js";
import { changedVarianceBy } from "./running-score.js";
import { rootError, type ScoreColumns } from "./score-columns.js";
import { scratchOf } from "./scratch.js";
import { type Term, termsOf, varianceChanges } from "./variance-changes.js";

export class PairBounds {
  /** A(p) and B(s), by place; after `renew`, of its places only. */
  readonly primaries: Float64Array;
  readonly secondaries: Float64Array;
  /** Maximum amount by which rounding puts a bound above the exact score. */
  slack = 0;
  /** Scratch: a(p) and e(s) of one component. */
  private readonly changesOfPrimary: Float64Array;
  private readonly changesOfSecondary: Float64Array;

  constructor(
    private readonly columns: ScoreColumns,
    private readonly effects: PairFigures,
  ) {
    const scratch = scratchOf(columns);
    this.primaries = scratch.primaries;
    this.secondaries = scratch.secondaries;
    this.changesOfPrimary = scratch.changesOfPrimary;
    this.changesOfSecondary = scratch.changesOfSecondary;
  }

  /**
   * Fills A and B; returns the part common to all pairs.
   * @param leaders by component, the component that has the same values
   */
  renew(
    primaries: readonly number[],
    secondaries: readonly number[],
    leaders: readonly number[],
  ): number {
    const { asPrimary, asSecondary } = this.effects;
    const { primaries: primaryBounds, secondaries: secondaryBounds, columns } = this;
    const { values } = columns;
    this.slack = 0;
    let base = 0;
    for (const component of [at.n1, at.offlineAll, at.offlinePrimary, at.tags, at.location]) {
      base += (weights[component] as number) * (values[component] as number);
    }
    base += (weights[at.locationPairs] as number) * (values[at.locationPairs] as number);
    const reservedWeight = weights[at.reservedTotal] as number;
    base += reservedWeight * (values[at.reservedTotal] as number);
    const n1Weight = weights[at.n1] as number;
    for (const p of primaries) primaryBounds[p] = n1Weight * (asPrimary.n1Shifts[p] as number);
    for (const s of secondaries) {
      const reserved = reservedWeight * (asSecondary.reservedShifts[s] as number);
      secondaryBounds[s] = n1Weight * (asSecondary.n1Shifts[s] as number) + reserved;
    }
    for (const term of termsOf(ofPrimaryAlone, leaders)) {
      this.boundAlone(term, asPrimary, primaries, primaryBounds);
    }
    for (const term of termsOf([at.reserved], leaders)) {
      this.boundAlone(term, asSecondary, secondaries, secondaryBounds);
    }
    for (const term of termsOf(ofBoth, leaders))
      base += this.boundBoth(term, primaries, secondaries);
    return base;
  }

  private boundAlone(
    { component, weight }: Term,
    role: RoleEffects,
    places: readonly number[],
    bounds: Float64Array,
  ): void {
    const changes = this.changesOfPrimary;
    const { lowest, largest } = varianceChanges(this.columns, component, role, places, changes);
    const variance = this.columns.variances[component] as number;
    for (let i = 0; i < places.length; i++) {
      const place = places[i] as number;
      const after = variance + (changes[place] as number);
      bounds[place] = (bounds[place] as number) + weight * Math.sqrt(after > 0 ? after : 0);
    }
    this.slack += weight * rootError(variance + lowest, variance + largest);
  }

  private boundBoth(
    { component, weight }: Term,
    primaries: readonly number[],
    secondaries: readonly number[],
  ): number {
    const { changesOfPrimary, changesOfSecondary, columns } = this;
    const { primaries: primaryBounds, secondaries: secondaryBounds } = this;
    const { asPrimary, asSecondary } = this.effects;
    const a = varianceChanges(columns, component, asPrimary, primaries, changesOfPrimary);
    const e = varianceChanges(columns, component, asSecondary, secondaries, changesOfSecondary);
    const variance = columns.variances[component] as number;
    const coupling = 2 / (columns.count * columns.count);
    const products = [a.least, a.most].flatMap((d) => [d * e.least, d * e.most]);
    const pull = coupling * Math.max(...products);
    const push = -coupling * Math.min(...products);
    const low = Math.max(0, variance + a.lowest + e.lowest - pull);
    const high = Math.max(low, variance + a.highest + e.highest + push);
    const slope = high > low ? (Math.sqrt(high) - Math.sqrt(low)) / (high - low) : 0;
    const factor = weight * slope;
    for (let i = 0; i < primaries.length; i++) {
      const p = primaries[i] as number;
      primaryBounds[p] = (primaryBounds[p] as number) + factor * (changesOfPrimary[p] as number);
    }
    for (let i = 0; i < secondaries.length; i++) {
      const s = secondaries[i] as number;
      secondaryBounds[s] =
        (secondaryBounds[s] as number) + factor * (changesOfSecondary[s] as number);
    }
    this.slack += weight * rootError(low, variance + a.largest + e.largest);
    return weight * Math.sqrt(low) + factor * (variance - pull - low);
  }

  /** B(s) without the terms that depend on the reserved memory. */
  apartFromReserved(s: number): number {
    const { asSecondary } = this.effects;
    const root = this.reservedRoot(
      (asSecondary.shifts[at.reserved] as Float64Array)[s] as number,
      (asSecondary.squares[at.reserved] as Float64Array)[s] as number,
    );
    return (this.secondaries[s] as number) - root - this.usualTerms(s);
  }

  /** Terms of the sums: nodes that share instances reserve more, and then no fewer fail N+1. */
  private usualTerms(s: number): number {
    const { reservedShifts, n1Shifts } = this.effects.asSecondary;
    return (
      (weights[at.reservedTotal] as number) * (reservedShifts[s] as number) +
      (weights[at.n1] as number) * (n1Shifts[s] as number)
    );
  }

  /**
   * Lower bound of the secondary's contribution to a pair with any node it shares instances with, as if its
   * reservation became the mean of all others. Infinite if there is no such node.
   */
  sharingBound(s: number): number {
    if (!this.effects.hasSharing(s)) return Number.POSITIVE_INFINITY;
    const { variances, totals, count, columns } = this.columns;
    const mean = (totals[at.reserved] as number) / count;
    const distance = ((columns[at.reserved] as Float64Array)[s] as number) - mean;
    const variance = (variances[at.reserved] as number) - (distance * distance) / (count - 1);
    const root = (weights[at.reserved] as number) * Math.sqrt(Math.max(0, variance));
    return this.apartFromReserved(s) + this.usualTerms(s) + root;
  }

  /** The term of reserved memory after this change of it. */
  reservedRoot(shift: number, square: number): number {
    const { variances, totals, count } = this.columns;
    const total = totals[at.reserved] as number;
    const variance = variances[at.reserved] as number;
    return (
      (weights[at.reserved] as number) *
      Math.sqrt(changedVarianceBy(variance, total, count, shift, square))
    );
  }
}
