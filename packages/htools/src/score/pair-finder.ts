/**
 * Search for the best pair of nodes for a mirrored instance, given its effects on each node, without examining
 * most pairs.
 *
 * Only pairs whose bound (`pair-bounds.ts`) is within rounding of the best score are examined, in the
 * original's order of operations (`pair-scores.ts`). Nodes with equal effects have equal scores to the last
 * bit, so one of each kind is examined.
 *
 * Cost: O(nodes x components) per placement, O(shared pairs) for secondaries that share instances with the
 * primary.
 */

import type { Cluster } from "../model/cluster.js";
import { at, weights } from "./metrics.js";
import { PairBounds } from "./pair-bounds.js";
import type { PairFigures, PeerReservation } from "./pair-figures.js";
import { PairScores } from "./pair-scores.js";
import type { RoleEffects } from "./role-effects.js";
import type { ScoreColumns } from "./score-columns.js";

/**
 * With this many nodes or more, a larger reservation of a secondary raises the score. It raises the sum of reserved
 * memory by d and the term of that sum by d / 4; of n numbers of deviation v, one is less than sqrt(n - 1) v below
 * the mean, so its rise by d lowers the deviation by less than d sqrt(n - 1) / n, which is below d / 4 from n = 15 on.
 */
const sharingCountMin = 15;

/** A pair of places (see `ScoreColumns`). */
export interface BestPair {
  readonly primary: number;
  readonly secondary: number;
  readonly score: number;
}

export class PairFinder {
  private readonly bounds: PairBounds;
  private readonly scores: PairScores;
  /** By component, the component that has the same values. */
  private leaders: readonly number[] = [];
  private best: BestPair | undefined;

  constructor(
    private readonly cluster: Cluster,
    private readonly columns: ScoreColumns,
    private readonly effects: PairFigures,
    /** Whether any node has a location. */
    located = cluster.facts.locations.some((tags) => tags.length > 0),
  ) {
    this.bounds = new PairBounds(columns, effects);
    this.scores = new PairScores(cluster, columns, effects, located);
  }

  /** The pair of the lowest score; among equals the later primary, then the later secondary. */
  find(): BestPair | undefined {
    this.columns.settle();
    this.leaders = weights.map((_, component) => this.columns.leaderOf(component));
    this.best = undefined;
    const { asPrimary, asSecondary } = this.effects;
    const groups = this.effects.groups
      .map((places) => ({
        primaries: feasibleOf(places, asPrimary),
        secondaries: feasibleOf(places, asSecondary),
      }))
      .filter(({ primaries, secondaries }) => primaries.length > 0 && secondaries.length > 0);
    if (groups.length === 0) return undefined;
    const base = this.bounds.renew(
      joined(groups.map(({ primaries }) => primaries)),
      joined(groups.map(({ secondaries }) => secondaries)),
      this.leaders,
    );
    for (const { primaries, secondaries } of groups) this.search(primaries, secondaries, base);
    return this.best;
  }

  private search(primaries: readonly number[], secondaries: readonly number[], base: number): void {
    const { primaries: primaryBounds, secondaries: secondaryBounds } = this.bounds;
    const first = lowestOf(primaries, primaryBounds, undefined);
    if (first === undefined) return;
    // A first score to compare others with.
    const second = lowestOf(secondaries, secondaryBounds, (s) => this.areUnrelated(first, s));
    if (second !== undefined) this.offer(first, second, this.score(first, second));
    this.searchUnrelated(primaries, secondaries, base);
    const lowest = base + least(primaries, primaryBounds);
    // (a sharing pair is then never better than the same nodes would be if they shared nothing)
    for (const s of secondaries) {
      if (this.isMany && (secondaryBounds[s] as number) + lowest > this.limit) continue;
      if (this.bounds.sharingBound(s) + lowest <= this.limit) this.searchSharing(s, base);
    }
  }

  private get isMany(): boolean {
    return this.columns.count >= sharingCountMin;
  }

  private get limit(): number {
    const score = this.best?.score ?? Number.POSITIVE_INFINITY;
    return score + 2 * this.bounds.slack + 1e-11 * Math.max(1, Math.abs(score));
  }

  private searchUnrelated(
    primaries: readonly number[],
    secondaries: readonly number[],
    base: number,
  ): void {
    const { primaries: primaryBounds, secondaries: secondaryBounds } = this.bounds;
    const { asPrimary, asSecondary } = this.effects;
    const within = (
      places: readonly number[],
      bounds: Float64Array,
      others: Float64Array,
      of: readonly number[],
    ) => {
      const most = this.limit - base - least(of, others);
      return places.filter((place) => (bounds[place] as number) <= most);
    };
    const rows = this.kinds(
      within(primaries, primaryBounds, secondaryBounds, secondaries),
      primaryBounds,
      asPrimary,
    );
    const lines = this.kinds(
      within(secondaries, secondaryBounds, primaryBounds, primaries),
      secondaryBounds,
      asSecondary,
    );
    for (const row of rows) {
      for (const line of lines) {
        if (base + row.bound + line.bound > this.limit) break;
        const pair = this.lastUnrelated(row.places, line.places);
        if (pair !== undefined) this.offer(pair[0], pair[1], this.score(pair[0], pair[1]));
      }
    }
  }

  /**
   * Places equal in every figure form one kind, later ones first; kinds are sorted by bound.
   * @param places ascending
   */
  private kinds(places: readonly number[], bounds: Float64Array, role: RoleEffects): Kind[] {
    const byBound = new Map<number, { bound: number; places: number[] }[]>();
    // On a new cluster, most neighbours are equal.
    let known: { bound: number; places: number[] }[] | undefined;
    let lastBound = Number.NaN;
    for (let i = places.length - 1; i >= 0; i--) {
      const place = places[i] as number;
      const bound = bounds[place] as number;
      if (bound !== lastBound) known = byBound.get(bound);
      lastBound = bound;
      if (known === undefined) {
        known = [{ bound, places: [place] }];
        byBound.set(bound, known);
        continue;
      }
      const kind = this.scores.located
        ? undefined
        : known.find((one) => role.alike(one.places[0] as number, place));
      if (kind) kind.places.push(place);
      else known.push({ bound, places: [place] });
    }
    return [...byBound.values()].flat().sort((a, b) => a.bound - b.bound);
  }

  /** The last pair of these two kinds without shared instances. */
  private lastUnrelated(
    primaries: readonly number[],
    secondaries: readonly number[],
  ): readonly [number, number] | undefined {
    for (const p of primaries) {
      for (const s of secondaries) if (this.areUnrelated(p, s)) return [p, s];
    }
    return undefined;
  }

  private areUnrelated(p: number, s: number): boolean {
    if (p === s) return false;
    return !this.effects.isSharing(p, s);
  }

  /** Pairs of this secondary for whose primary it already reserves memory. */
  private searchSharing(s: number, base: number): void {
    const { primaries, secondaries } = this.bounds;
    const least = base + (secondaries[s] as number);
    const { count } = this.columns;
    const costOfRise = (weights[at.reservedTotal] as number) - Math.sqrt(count - 1) / count;
    const known = this.effects.sharingOf(
      s,
      (p, rise) =>
        p >= 0 &&
        (!this.isMany || least + (primaries[p] as number) + costOfRise * rise <= this.limit),
    );
    const rest = base + this.bounds.apartFromReserved(s);
    const { asPrimary } = this.effects;
    const n1Weight = weights[at.n1] as number;
    const totalWeight = weights[at.reservedTotal] as number;
    for (const one of known) {
      const { place: p, feasible, shift, square, reservedShift, n1Shift } = one;
      if (!feasible || asPrimary.feasible[p] === 0 || !this.sameGroup(p, s)) continue;
      const own = totalWeight * reservedShift + n1Weight * n1Shift;
      const partial = rest + (this.bounds.primaries[p] as number) + own;
      if (partial > this.limit || partial + this.bounds.reservedRoot(shift, square) > this.limit)
        continue;
      this.offer(p, s, this.score(p, s, one));
    }
  }

  private sameGroup(p: number, s: number): boolean {
    const { nodes } = this.columns;
    const { groupOf } = this.cluster.facts;
    return groupOf[nodes[p] as number] === groupOf[nodes[s] as number];
  }

  private score(p: number, s: number, known?: PeerReservation): number {
    return this.scores.of(p, s, this.leaders, known);
  }

  private offer(primary: number, secondary: number, score: number): void {
    const { best } = this;
    if (best !== undefined) {
      if (best.score < score) return;
      if (best.score === score) {
        if (primary < best.primary) return;
        if (primary === best.primary && secondary <= best.secondary) return;
      }
    }
    this.best = { primary, secondary, score };
  }
}

interface Kind {
  readonly bound: number;
  readonly places: readonly number[];
}

/** Those of the places that are feasible in this role; the same list if all of them are. */
function feasibleOf(places: readonly number[], { feasible }: RoleEffects): readonly number[] {
  const isFeasible = (place: number) => feasible[place] === 1;
  for (let i = 0; i < places.length; i++) {
    if (!isFeasible(places[i] as number)) return places.filter(isFeasible);
  }
  return places;
}

const joined = (lists: readonly (readonly number[])[]): readonly number[] =>
  lists.length === 1 ? (lists[0] as readonly number[]) : lists.flat();

function lowestOf(
  places: readonly number[],
  bounds: Float64Array,
  allowed: ((place: number) => boolean) | undefined,
): number | undefined {
  let lowest: number | undefined;
  for (const place of places) {
    if (lowest !== undefined && (bounds[place] as number) >= (bounds[lowest] as number)) continue;
    if (allowed === undefined || allowed(place)) lowest = place;
  }
  return lowest;
}

function least(places: readonly number[], bounds: Float64Array): number {
  let lowest = Number.POSITIVE_INFINITY;
  for (const place of places) lowest = Math.min(lowest, bounds[place] as number);
  return lowest;
}
