/**
 * The best pair of nodes for the next of many equal mirrored instances, without looking at most pairs.
 *
 * A deviation after both updates is the root of y = V + a(p) + e(s) - 2 d(p) d(s) / n², with a and e of
 * order 1/n. A root lies above the chord between the ends of its range, so with the chord's slope k
 *
 *     score(p, s) >= A(p) + B(s)
 *
 * where A takes w k a(p) and B the rest, and the gap is of order 1/n². Only pairs whose bound is
 * within rounding of the best score are looked at, in the original's order of operations. Nodes with
 * equal effects have equal scores to the last bit: of each kind one is looked at.
 *
 * Cost: O(nodes x components) per placement, O(shared pairs) for secondaries that know the primary.
 */
import type { Cluster } from "../cluster.js";
import type { Instance } from "../instance.js";
import { at, componentCount, deviations, weights } from "../metrics.js";
import type { Seat } from "../move.js";
import { changedVarianceBy } from "../running-score.js";
import type { Ground } from "./ground.js";
import { type Acquaintance, PairEffects } from "./pair-effects.js";
import type { RoleEffects } from "./role-effects.js";
import { rootError, type ScoreColumns, weighted } from "./score-columns.js";

/** A deviation component, with those that have the same values. */
interface Term {
  readonly component: number;
  readonly weight: number;
}

/** Components that the primary alone changes, the secondary alone, and both. */
const ofPrimary: readonly number[] = [
  at.memoryFree,
  at.vcpus,
  at.loadCpu,
  at.loadMemory,
  at.loadNetwork,
  at.memoryFreePlanned,
  at.vcpusPlanned,
];
const ofBoth: readonly number[] = [
  at.diskFree,
  at.loadDisk,
  at.spindles,
  at.diskFreePlanned,
  at.spindlesPlanned,
];

interface Best {
  primary: number;
  secondary: number;
  score: number;
}

export class PairPlacer {
  private readonly effects: PairEffects;
  /** A(p) and B(s), by place. */
  private readonly primaryBounds: Float64Array;
  private readonly secondaryBounds: Float64Array;
  /** Scratch: a(p) and e(s) of one component. */
  private readonly changesOfPrimary: Float64Array;
  private readonly changesOfSecondary: Float64Array;
  private readonly statistics = new Float64Array(componentCount);
  private readonly located: boolean;
  /** By component, the one it has its values from. */
  private leaders: readonly number[] = [];
  private slack = 0;
  private best: Best | undefined;

  constructor(
    private readonly cluster: Cluster,
    private readonly columns: ScoreColumns,
    ground: Ground,
    instance: Instance,
  ) {
    this.effects = new PairEffects(cluster, columns, ground, instance);
    this.primaryBounds = new Float64Array(columns.count);
    this.secondaryBounds = new Float64Array(columns.count);
    this.changesOfPrimary = new Float64Array(columns.count);
    this.changesOfSecondary = new Float64Array(columns.count);
    this.located = cluster.facts.locations.some((tags) => tags.length > 0);
  }

  /** Looks anew at candidates that have changed; `columns` must know of the change already. */
  refresh(nodes: readonly number[]): void {
    this.effects.refresh(nodes);
  }

  /** From now on for instances such as this one. */
  turnTo(instance: Instance): void {
    this.effects.turnTo(instance);
  }

  /** Lowest score; among equals the later primary, then the later secondary. */
  place(): Seat | undefined {
    this.columns.settle();
    this.leaders = weights.map((_, component) => this.columns.leaderOf(component));
    this.best = undefined;
    const { asPrimary, asSecondary } = this.effects;
    const groups = this.effects.groups
      .map((places) => ({
        primaries: places.filter((place) => asPrimary.feasible[place] === 1),
        secondaries: places.filter((place) => asSecondary.feasible[place] === 1),
      }))
      .filter(({ primaries, secondaries }) => primaries.length > 0 && secondaries.length > 0);
    if (groups.length === 0) return undefined;
    const base = this.bound(
      groups.flatMap(({ primaries }) => primaries),
      groups.flatMap(({ secondaries }) => secondaries),
    );
    for (const { primaries, secondaries } of groups) this.search(primaries, secondaries, base);
    return this.found();
  }

  private found(): Seat | undefined {
    // Without the annotation the assignment in `place` hides what `search` found.
    const best = this.best as Best | undefined;
    if (best === undefined) return undefined;
    const primary = this.columns.nodes[best.primary] as number;
    const secondary = this.columns.nodes[best.secondary] as number;
    const locationScore = this.cluster.sharedLocations(primary, secondary);
    return { primary, secondary, locationScore };
  }

  /** Fills A and B; gives what every pair has in common. */
  private bound(primaries: readonly number[], secondaries: readonly number[]): number {
    const { asPrimary, asSecondary } = this.effects;
    const { primaryBounds, secondaryBounds, columns } = this;
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
    for (const term of this.terms(ofPrimary)) {
      this.boundAlone(term, asPrimary, primaries, primaryBounds);
    }
    for (const term of this.terms([at.reserved])) {
      this.boundAlone(term, asSecondary, secondaries, secondaryBounds);
    }
    for (const term of this.terms(ofBoth)) base += this.boundBoth(term, primaries, secondaries);
    return base;
  }

  /** Twins are counted with the component they have their values from. */
  private terms(components: readonly number[]): Term[] {
    return components
      .filter((component) => this.leaders[component] === component)
      .map((component) => {
        let weight = 0;
        for (const [other, leader] of this.leaders.entries()) {
          if (leader === component) weight += weights[other] as number;
        }
        return { component, weight };
      });
  }

  private boundAlone(
    { component, weight }: Term,
    role: RoleEffects,
    places: readonly number[],
    bounds: Float64Array,
  ): void {
    const changes = this.changesOfPrimary;
    const { lowest, largest } = this.changesOf(component, role, places, changes);
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
    const { changesOfPrimary, changesOfSecondary, columns, primaryBounds, secondaryBounds } = this;
    const { asPrimary, asSecondary } = this.effects;
    const a = this.changesOf(component, asPrimary, primaries, changesOfPrimary);
    const e = this.changesOf(component, asSecondary, secondaries, changesOfSecondary);
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

  /** By how much each place alone changes the variance. */
  private changesOf(
    component: number,
    role: RoleEffects,
    places: readonly number[],
    changes: Float64Array,
  ): Changes {
    const shifts = role.shifts[component] as Float64Array;
    const squares = role.squares[component] as Float64Array;
    const { count } = this.columns;
    const total = this.columns.totals[component] as number;
    let lowest = Number.POSITIVE_INFINITY;
    let highest = Number.NEGATIVE_INFINITY;
    let least = Number.POSITIVE_INFINITY;
    let most = Number.NEGATIVE_INFINITY;
    let largest = 0;
    for (let i = 0; i < places.length; i++) {
      const place = places[i] as number;
      const shift = shifts[place] as number;
      const grown = count * (squares[place] as number);
      const moved = 2 * total * shift;
      const change = (grown - moved - shift * shift) / (count * count);
      changes[place] = change;
      largest = Math.max(largest, Math.abs(grown), Math.abs(moved));
      if (change < lowest) lowest = change;
      if (change > highest) highest = change;
      if (shift < least) least = shift;
      if (shift > most) most = shift;
    }
    return { lowest, highest, least, most, largest: (2 * largest) / (count * count) };
  }

  private search(primaries: readonly number[], secondaries: readonly number[], base: number): void {
    const { primaryBounds, secondaryBounds } = this;
    const first = lowestOf(primaries, primaryBounds, undefined);
    if (first === undefined) return;
    // Something to measure the others by.
    const second = lowestOf(secondaries, secondaryBounds, (s) => this.areStrangers(first, s));
    if (second !== undefined) this.offer(first, second, this.score(first, second));
    this.searchStrangers(primaries, secondaries, base);
    const lowest = base + least(primaries, primaryBounds);
    for (const s of secondaries) {
      if (this.acquaintedBound(s) + lowest <= this.limit) this.searchAcquaintances(s, base);
    }
  }

  private get limit(): number {
    const score = this.best?.score ?? Number.POSITIVE_INFINITY;
    return score + 2 * this.slack + 1e-11 * Math.max(1, Math.abs(score));
  }

  private searchStrangers(
    primaries: readonly number[],
    secondaries: readonly number[],
    base: number,
  ): void {
    const { primaryBounds, secondaryBounds } = this;
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
        const pair = this.lastStrangers(row.places, line.places);
        if (pair !== undefined) this.offer(pair[0], pair[1], this.score(pair[0], pair[1]));
      }
    }
  }

  /** Places that are the same in every figure, later ones first; by rising bound. */
  private kinds(places: number[], bounds: Float64Array, role: RoleEffects): Kind[] {
    const sorted = places.sort((a, b) => (bounds[a] as number) - (bounds[b] as number) || b - a);
    const kinds: { bound: number; places: number[] }[] = [];
    let ofBound = 0;
    for (const place of sorted) {
      const bound = bounds[place] as number;
      if (kinds.length === 0 || (kinds[kinds.length - 1] as Kind).bound !== bound) {
        ofBound = kinds.length;
      }
      const kind = this.located
        ? undefined
        : kinds.slice(ofBound).find((known) => role.alike(known.places[0] as number, place));
      if (kind) kind.places.push(place);
      else kinds.push({ bound, places: [place] });
    }
    return kinds;
  }

  /** The last pair that shares no instance, of two kinds. */
  private lastStrangers(
    primaries: readonly number[],
    secondaries: readonly number[],
  ): readonly [number, number] | undefined {
    for (const p of primaries) {
      for (const s of secondaries) if (this.areStrangers(p, s)) return [p, s];
    }
    return undefined;
  }

  private areStrangers(p: number, s: number): boolean {
    if (p === s) return false;
    const known = this.effects.acquaintances[s] as readonly Acquaintance[];
    for (let i = 0; i < known.length; i++) if ((known[i] as Acquaintance).place === p) return false;
    return true;
  }

  /** B(s) without what depends on how much is reserved. */
  private apartFromReserved(s: number): number {
    const { asSecondary } = this.effects;
    const root = this.reservedRoot(
      (asSecondary.shifts[at.reserved] as Float64Array)[s] as number,
      (asSecondary.squares[at.reserved] as Float64Array)[s] as number,
    );
    return (this.secondaryBounds[s] as number) - root - this.usualTerms(s);
  }

  /** Of the sums: more is reserved for acquaintances, and no less fails N+1 then. */
  private usualTerms(s: number): number {
    const { reservedShifts, n1Shifts } = this.effects.asSecondary;
    return (
      (weights[at.reservedTotal] as number) * (reservedShifts[s] as number) +
      (weights[at.n1] as number) * (n1Shifts[s] as number)
    );
  }

  /**
   * The least that this secondary adds to a pair with any acquaintance: as if what it reserves came to
   * be the mean of all others. Infinite if it has none.
   */
  private acquaintedBound(s: number): number {
    if ((this.effects.acquaintances[s] as readonly Acquaintance[]).length === 0) {
      return Number.POSITIVE_INFINITY;
    }
    const { variances, totals, count, columns } = this.columns;
    const mean = (totals[at.reserved] as number) / count;
    const distance = ((columns[at.reserved] as Float64Array)[s] as number) - mean;
    const variance = (variances[at.reserved] as number) - (distance * distance) / (count - 1);
    const root = (weights[at.reserved] as number) * Math.sqrt(Math.max(0, variance));
    return this.apartFromReserved(s) + this.usualTerms(s) + root;
  }

  /** Pairs of this secondary in which it keeps memory for the primary already. */
  private searchAcquaintances(s: number, base: number): void {
    const known = this.effects.acquaintances[s] as readonly Acquaintance[];
    const rest = base + this.apartFromReserved(s);
    const { asPrimary } = this.effects;
    const n1Weight = weights[at.n1] as number;
    const totalWeight = weights[at.reservedTotal] as number;
    for (const one of known) {
      const { place: p, feasible, shift, square, reservedShift, n1Shift } = one;
      if (!feasible || asPrimary.feasible[p] === 0 || !this.sameGroup(p, s)) continue;
      const own = totalWeight * reservedShift + n1Weight * n1Shift;
      const partial = rest + (this.primaryBounds[p] as number) + own;
      if (partial > this.limit || partial + this.reservedRoot(shift, square) > this.limit) continue;
      this.offer(p, s, this.score(p, s, one));
    }
  }

  private sameGroup(p: number, s: number): boolean {
    const { nodes } = this.columns;
    const { groupOf } = this.cluster.facts;
    return groupOf[nodes[p] as number] === groupOf[nodes[s] as number];
  }

  private reservedRoot(shift: number, square: number): number {
    const { variances, totals, count } = this.columns;
    const total = totals[at.reserved] as number;
    const variance = variances[at.reserved] as number;
    return (
      (weights[at.reserved] as number) *
      Math.sqrt(changedVarianceBy(variance, total, count, shift, square))
    );
  }

  /** By the same operations in the same order as `scoreAfter`. */
  private score(p: number, s: number, known?: Acquaintance): number {
    const { columns, statistics, leaders } = this;
    const { asPrimary, asSecondary } = this.effects;
    const { totals, variances, values, count } = columns;
    statistics.set(values);
    for (let i = 0; i < deviations.length; i++) {
      const component = deviations[i] as number;
      const leader = leaders[component] as number;
      if (leader !== component) {
        statistics[component] = statistics[leader] as number;
        continue;
      }
      const total = totals[component] as number;
      const shift = (asPrimary.shifts[component] as Float64Array)[p] as number;
      const square = (asPrimary.squares[component] as Float64Array)[p] as number;
      const between = changedVarianceBy(
        variances[component] as number,
        total,
        count,
        shift,
        square,
      );
      const special = component === at.reserved ? known : undefined;
      const nextShift = special
        ? special.shift
        : ((asSecondary.shifts[component] as Float64Array)[s] as number);
      const nextSquare = special
        ? special.square
        : ((asSecondary.squares[component] as Float64Array)[s] as number);
      statistics[component] = Math.sqrt(
        changedVarianceBy(between, total + shift, count, nextShift, nextSquare),
      );
    }
    statistics[at.n1] =
      (values[at.n1] as number) +
      (asPrimary.n1Shifts[p] as number) +
      (known ? known.n1Shift : (asSecondary.n1Shifts[s] as number));
    statistics[at.reservedTotal] =
      (values[at.reservedTotal] as number) +
      (asPrimary.reservedShifts[p] as number) +
      (known ? known.reservedShift : (asSecondary.reservedShifts[s] as number));
    if (this.located) {
      const { nodes } = columns;
      const shared = this.cluster.sharedLocations(nodes[p] as number, nodes[s] as number);
      statistics[at.location] = (values[at.location] as number) + shared;
    }
    return weighted(statistics);
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

interface Changes {
  /** Of the variance. */
  readonly lowest: number;
  readonly highest: number;
  /** What changes are differences of: rounding is of its order. */
  readonly largest: number;
  /** Of the values themselves. */
  readonly least: number;
  readonly most: number;
}

interface Kind {
  readonly bound: number;
  readonly places: readonly number[];
}

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
