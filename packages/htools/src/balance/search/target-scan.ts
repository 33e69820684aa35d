/**
 * Scores of all moves of a victim to given targets, as estimates accurate to the last digits of a double, in
 * O(columns) each and without changing the cluster.
 *
 * The sum of the squares of a column's figures changes by the contributions of the victim's own nodes
 * (`OwnNodeMeasurer`) and of the target; likewise the sum of the figures. With n nodes, totals T and variance
 * V, the variance becomes V + squares/n - shift (2 T + shift)/n².
 */
import type { Cluster } from "../../model/cluster.js";
import { at, weights } from "../../score/metrics.js";
import { type ColumnSet, root } from "./column-set.js";
import { type MirrorNode, mirrorNodeTerm } from "./mirror-node.js";
import { kindAt } from "./move-kinds.js";
import type { PeerReservations } from "./peer-reservations.js";
import { PeerTables } from "./peer-tables.js";
import { TagTerms } from "./tag-terms.js";
import { takes } from "./target-check.js";
import type { Victim } from "./victim.js";
import type { VictimTable } from "./victim-table.js";
import { VictimTerms } from "./victim-terms.js";

/** Called with a move's kind, its target's place and its estimated score. */
export type Visit = (kind: number, place: number, estimate: number) => void;

const { replaceSecondary, replaceAndFailover, replacePrimary, failoverAndReplace } = kindAt;
const reservedTotal = weights[at.reservedTotal] as number;

export class TargetScan {
  private readonly terms: VictimTerms;
  private readonly tagTerms: TagTerms;
  private readonly peers: PeerTables;
  private readonly all: Int32Array;
  private readonly one = new Int32Array(1);
  private few = new Int32Array(0);
  private victim: Victim | undefined;
  /** Error of the bounds: a place is skipped only if its bound exceeds the limit by more than this. */
  slack = 0;

  /** @param force skips the soft checks */
  constructor(
    private readonly cluster: Cluster,
    private readonly columns: ColumnSet,
    private readonly table: VictimTable,
    peerReservations: PeerReservations,
    private readonly force: boolean,
  ) {
    this.terms = new VictimTerms(columns, table);
    this.tagTerms = new TagTerms(cluster, columns);
    this.peers = new PeerTables(cluster, columns, peerReservations);
    this.all = Int32Array.from(columns.nodes.keys());
  }

  /**
   * Prepares the search over all places.
   * @param constant the present score without the terms in the columns
   */
  begin(victim: Victim, constant: number): void {
    this.peers.clear();
    if (victim.isPair && victim.needed > 0) this.peers.fill(victim.placement);
    this.prepare(victim, constant);
    this.terms.floor(victim);
  }

  /** Lower bound of the scores of the victim's moves. After `beginVictim`. */
  floor(victim: Victim): number {
    return this.terms.floor(victim);
  }

  /** After `begin`: the score after a failover; infinite if that is not possible. */
  get failover(): number {
    return this.terms.constants[kindAt.failover] as number;
  }

  /** Prepares the search over only these places for many victims; ends with `endFew`. */
  beginFew(places: readonly number[]): void {
    this.peers.beginFew(places);
    this.few = Int32Array.from(places);
  }

  /** Like `begin`, for `lowestOfFew`. */
  beginVictim(victim: Victim, constant: number): void {
    this.prepare(victim, constant);
  }

  /**
   * The lowest score of an allowed move to one of the few places, if it is below `limit`; otherwise `limit`.
   */
  lowestOfFew(limit: number): number {
    const { victim, peers } = this;
    if (victim?.isPair && victim.needed > 0) peers.fillFew(victim.placement);
    return this.scan(this.few, limit, undefined);
  }

  endFew(): void {
    this.peers.endFew();
  }

  /** The lowest score of an allowed move to another node, if it is below `limit`; otherwise `limit`. */
  lowest(limit: number): number {
    const { victim } = this;
    if (victim === undefined || victim.bestPlace < 0) return this.scan(this.all, limit, undefined);
    // The best target of the last search is usually still good; its score as the limit excludes most others.
    this.one[0] = victim.bestPlace;
    return this.scan(this.all, this.scan(this.one, limit, undefined), undefined);
  }

  /** Visits the allowed moves that score at most `limit`, in the order in which they are tried. */
  visit(limit: number, visit: Visit): void {
    this.scan(this.all, limit, visit);
  }

  private prepare(victim: Victim, constant: number): void {
    this.victim = victim;
    this.terms.set(victim, constant);
  }

  private scan(places: Int32Array, limit: number, visit: Visit | undefined): number {
    const { victim } = this;
    if (victim === undefined) return limit;
    this.tagTerms.begin(victim);
    return victim.isPair
      ? this.scanPairs(victim, places, limit, visit)
      : this.scanSingles(victim, places, limit, visit);
  }

  /** Scans the four moves of a mirrored instance at once, because they have most deviations in common. */
  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: the terms of all four moves stay in locals for the loop over candidate nodes
  private scanPairs(
    victim: Victim,
    places: Int32Array,
    limit: number,
    visit: Visit | undefined,
  ): number {
    const { columns, tagTerms, terms } = this;
    const { figures, units, width, bothCount, reservedAt } = columns;
    const { unallocated, reserved, placed, failures } = columns;
    const { forPrimary, forSecondary, ofPrimary, ofSecondary } = this.peers;
    const { leavingBases, leavingSlopes, exchangeBases, exchangeSlopes } = terms;
    const { needed, used, instance, oldPrimary, oldSecondary } = victim;
    const { data } = this.table;
    const costs = victim.row + this.table.costs;
    const columnWeights = columns.weights;
    const own = columns.placeOf[victim.placement.primary] as number;
    const other = columns.placeOf[victim.placement.secondary] as number;
    const inverse = 1 / columns.count;
    const real = !instance.forthcoming;
    const constantRs = terms.constants[replaceSecondary] as number;
    const constantRaf = terms.constants[replaceAndFailover] as number;
    const constantRp = terms.constants[replacePrimary] as number;
    const constantFar = terms.constants[failoverAndReplace] as number;
    const idleRs = terms.reservedTerms[replaceSecondary] as number;
    const idleFar = terms.reservedTerms[failoverAndReplace] as number;
    const { slack } = this;
    const leastRs = constantRs + (terms.leastRests[replaceSecondary] as number) - slack;
    const leastRaf = constantRaf + (terms.leastRests[replaceAndFailover] as number) - slack;
    const leastRp = constantRp + (terms.leastRests[replacePrimary] as number) - slack;
    const leastFar = constantFar + (terms.leastRests[failoverAndReplace] as number) - slack;
    const leastReplaced = leastRs < leastRaf ? leastRs : leastRaf;
    const leastLeft = leastRp < leastFar ? leastRp : leastFar;
    let bound = limit;
    for (let i = 0; i < places.length; i++) {
      const place = places[i] as number;
      if (place === own || place === other) continue;
      const row = place * width;
      // Deviations in columns of both nodes, as the instance leaves its primary or its secondary;
      // and in those of the primary, which the target becomes.
      let left = 0;
      let replaced = 0;
      let runs = 0;
      for (let column = 0; column < bothCount; column++) {
        const shift = (data[costs + column] as number) * (units[row + column] as number);
        const sum = 2 * (figures[row + column] as number) + shift - shift * inverse;
        const grown = shift * sum * inverse;
        const weight = columnWeights[column] as number;
        left +=
          weight *
          root(
            (leavingBases[column] as number) + grown - shift * (leavingSlopes[column] as number),
          );
        replaced +=
          weight *
          root(
            (exchangeBases[column] as number) + grown - shift * (exchangeSlopes[column] as number),
          );
      }
      if (leastReplaced + replaced > bound && leastLeft + left > bound) continue;
      for (let column = bothCount; column < reservedAt; column++) {
        const shift = (data[costs + column] as number) * (units[row + column] as number);
        const sum = 2 * (figures[row + column] as number) + shift - shift * inverse;
        const grown = shift * sum * inverse;
        runs +=
          (columnWeights[column] as number) *
          root(
            (leavingBases[column] as number) + grown - shift * (leavingSlopes[column] as number),
          );
      }
      let rs = constantRs + replaced;
      let raf = constantRaf + replaced + runs;
      let rp = constantRp + left + runs;
      let far = constantFar + left;
      if (real) {
        const kept = reserved[place] as number;
        const free = unallocated[place] as number;
        const failed = failures[place] as number;
        const more = (placed[place] as number) + 1;
        const asPrimary = (free - used <= kept ? more : 0) - failed;
        raf += asPrimary;
        rp += asPrimary;
        if (ofPrimary[place] !== 0 && oldPrimary !== undefined) {
          raf += this.mirrorNodeChange(
            victim,
            oldPrimary,
            replaceAndFailover,
            ofPrimary[place] as number,
          );
        }
        if (ofSecondary[place] !== 0 && oldSecondary !== undefined) {
          rp += this.mirrorNodeChange(
            victim,
            oldSecondary,
            replacePrimary,
            ofSecondary[place] as number,
          );
        }
        const withRs = (forPrimary[place] as number) + needed;
        const withFar = (forSecondary[place] as number) + needed;
        rs += (free <= (withRs > kept ? withRs : kept) ? more : 0) - failed;
        far += (free <= (withFar > kept ? withFar : kept) ? more : 0) - failed;
        const unit = units[row + reservedAt] as number;
        const figure = 2 * (figures[row + reservedAt] as number);
        rs +=
          withRs > kept
            ? this.reservedTerm(replaceSecondary, (withRs - kept) * unit, figure)
            : idleRs;
        far +=
          withFar > kept
            ? this.reservedTerm(failoverAndReplace, (withFar - kept) * unit, figure)
            : idleFar;
      } else {
        rs += idleRs;
        far += idleFar;
      }
      if (tagTerms.any) {
        rs += tagTerms.of(replaceSecondary, place);
        raf += tagTerms.of(replaceAndFailover, place);
        rp += tagTerms.of(replacePrimary, place);
        far += tagTerms.of(failoverAndReplace, place);
      }
      if (rs <= bound) bound = this.offer(victim, replaceSecondary, place, rs, bound, visit);
      if (raf <= bound) bound = this.offer(victim, replaceAndFailover, place, raf, bound, visit);
      if (rp <= bound) bound = this.offer(victim, replacePrimary, place, rp, bound, visit);
      if (far <= bound) bound = this.offer(victim, failoverAndReplace, place, far, bound, visit);
    }
    return bound;
  }

  private scanSingles(
    victim: Victim,
    places: Int32Array,
    limit: number,
    visit: Visit | undefined,
  ): number {
    const { columns, tagTerms, terms } = this;
    const { figures, units, width, reservedAt, failures } = columns;
    const { leavingBases, leavingSlopes, leastTerms } = terms;
    const { used, instance } = victim;
    const { data } = this.table;
    const costs = victim.row + this.table.costs;
    const kind = kindAt.failoverToAny;
    const constant = terms.constants[kind] as number;
    const own = columns.placeOf[victim.placement.primary] as number;
    const inverse = 1 / columns.count;
    let least = constant - this.slack;
    for (let column = 0; column < reservedAt; column++) least += leastTerms[column] as number;
    let bound = limit;
    for (let i = 0; i < places.length; i++) {
      const place = places[i] as number;
      if (place === own) continue;
      const row = place * width;
      let score = constant;
      let low = least;
      for (let column = 0; column < reservedAt && low <= bound; column++) {
        const shift = (data[costs + column] as number) * (units[row + column] as number);
        const sum = 2 * (figures[row + column] as number) + shift - shift * inverse;
        const grown = shift * sum * inverse;
        const term =
          (columns.weights[column] as number) *
          root(
            (leavingBases[column] as number) + grown - shift * (leavingSlopes[column] as number),
          );
        score += term;
        low += term - (leastTerms[column] as number);
      }
      if (low > bound) continue;
      if (!instance.forthcoming) {
        const free = (columns.unallocated[place] as number) - used;
        const fails = free <= (columns.reserved[place] as number);
        const more = (columns.placed[place] as number) + 1;
        score += (fails ? more : 0) - (failures[place] as number);
      }
      if (tagTerms.any) score += tagTerms.of(kind, place);
      if (score <= bound) bound = this.offer(victim, kind, place, score, bound, visit);
    }
    return bound;
  }

  /** Visits a move within the bound, and returns the new bound. */
  // biome-ignore lint/complexity/useMaxParams: called for every candidate node within the bound, without making objects
  private offer(
    victim: Victim,
    kind: number,
    place: number,
    estimate: number,
    bound: number,
    visit: Visit | undefined,
  ): number {
    if (visit === undefined && estimate === bound) return bound;
    const target = this.columns.nodes[place] as number;
    if (!takes(this.cluster, victim, kind, target, this.force)) return bound;
    if (visit === undefined) {
      victim.bestPlace = place;
      return estimate;
    }
    visit(kind, place, estimate);
    return bound;
  }

  /** The weighted deviation and total of the reserved memory after the target reserves more. */
  private reservedTerm(kind: number, shift: number, figure: number): number {
    const { columns, terms } = this;
    const inverse = 1 / columns.count;
    const grown = shift * inverse * (figure + shift - shift * inverse);
    const base = terms.reservedBases[kind] as number;
    const variance = base + grown - shift * (terms.reservedSlopes[kind] as number);
    const weight = columns.weights[columns.reservedAt] as number;
    return weight * root(variance) + reservedTotal * shift;
  }

  private mirrorNodeChange(
    { needed, row }: Victim,
    mirrorNode: MirrorNode,
    kind: number,
    kept: number,
  ): number {
    const { table } = this;
    const squares = table.get(row, table.reservedSquares, kind);
    const shift = table.get(row, table.reservedShifts, kind);
    return mirrorNodeTerm(this.columns, mirrorNode, kept, needed, squares, shift);
  }
}
