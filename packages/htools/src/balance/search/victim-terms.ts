/** Terms common to all moves of one victim in the present state, whatever their target. */
import { type ColumnSet, root } from "./column-set.js";
import { leastProduct } from "./least-product.js";
import { kindAt, kindCount } from "./move-kinds.js";
import type { Victim } from "./victim.js";
import type { VictimTable } from "./victim-table.js";

const {
  failover,
  replaceSecondary,
  replaceAndFailover,
  replacePrimary,
  failoverAndReplace,
  failoverToAny,
} = kindAt;

export class VictimTerms {
  /** By kind: the score without the terms that depend on the target; infinite if not possible. */
  readonly constants = new Float64Array(kindCount);
  /** By column: the variance without the target's part, and 2 (T + shift)/n². */
  readonly leavingBases: Float64Array;
  readonly leavingSlopes: Float64Array;
  readonly exchangeBases: Float64Array;
  readonly exchangeSlopes: Float64Array;
  /** By kind, for the reserved memory: base, and weighted deviation if the target need not reserve more. */
  readonly reservedBases = new Float64Array(kindCount);
  readonly reservedSlopes = new Float64Array(kindCount);
  readonly reservedTerms = new Float64Array(kindCount);
  /** By column, after `floor`: lower bound of the weighted deviation, whatever the target. */
  readonly leastTerms: Float64Array;
  /**
   * By kind of a pair, after `floor`: minimum a target adds to the constant and to the deviations in columns
   * of both nodes.
   */
  readonly leastRests = new Float64Array(kindCount);

  constructor(
    private readonly columns: ColumnSet,
    private readonly table: VictimTable,
  ) {
    const perColumn = () => new Float64Array(columns.width);
    this.leavingBases = perColumn();
    this.leavingSlopes = perColumn();
    this.exchangeBases = perColumn();
    this.exchangeSlopes = perColumn();
    this.leastTerms = perColumn();
  }

  /** @param constant the present score without the terms in the columns */
  set(victim: Victim, constant: number): void {
    const { constants, columns, table } = this;
    const { row, kinds } = victim;
    const { leavingShifts, leavingSquares, exchangeShifts, exchangeSquares, linear } = table;
    for (let kind = 0; kind < kindCount; kind++) {
      const can = (kinds & (1 << kind)) !== 0;
      constants[kind] = can
        ? constant + (table.data[row + linear + kind] as number)
        : Number.POSITIVE_INFINITY;
      if (can) this.weighReserved(row, kind);
    }
    this.weigh(row + leavingShifts, row + leavingSquares, this.leavingBases, this.leavingSlopes);
    if (!victim.isPair) {
      this.add(failoverToAny, columns.reservedScore);
      return;
    }
    this.weigh(
      row + exchangeShifts,
      row + exchangeSquares,
      this.exchangeBases,
      this.exchangeSlopes,
    );
    const exchanged = this.exchanged();
    this.add(failover, columns.bothScore + exchanged + this.term(failover));
    this.add(replaceSecondary, columns.primaryScore);
    this.add(replaceAndFailover, this.term(replaceAndFailover));
    this.add(replacePrimary, this.term(replacePrimary));
    this.add(failoverAndReplace, exchanged);
  }

  /** After `set`, lower bound of the scores of the victim's moves. */
  floor(victim: Victim): number {
    const { columns, constants, table, leastTerms, leastRests } = this;
    const { data, leastShifts, mostShifts } = table;
    const { bothCount, reservedAt, lows, highs, count, weights } = columns;
    const { row, isPair } = victim;
    const inverse = 1 / count;
    let left = 0;
    let replaced = 0;
    let runs = 0;
    for (let column = 0; column < reservedAt; column++) {
      const least = data[row + leastShifts + column] as number;
      const most = data[row + mostShifts + column] as number;
      const sumLow = 2 * (lows[column] as number) + least - most * inverse;
      const sumHigh = 2 * (highs[column] as number) + most - least * inverse;
      const grown = leastProduct(least, most, sumLow, sumHigh) * inverse;
      const weight = weights[column] as number;
      const leavingSlope = this.leavingSlopes[column] as number;
      const sloped = Math.max(least * leavingSlope, most * leavingSlope);
      const term = weight * root((this.leavingBases[column] as number) + grown - sloped);
      leastTerms[column] = term;
      if (column >= bothCount) {
        runs += term;
        continue;
      }
      left += term;
      if (!isPair) continue;
      const exchange = (this.exchangeBases[column] as number) + grown;
      const exchangeSlope = this.exchangeSlopes[column] as number;
      replaced += weight * root(exchange - Math.max(least * exchangeSlope, most * exchangeSlope));
    }
    if (!isPair) return (constants[failoverToAny] as number) + left + runs;
    // The memory that the target or the mirror node may reserve.
    const most = data[row + mostShifts + reservedAt] as number;
    const sumLow = 2 * ((lows[reservedAt] as number) - most) - most * inverse;
    const grown = Math.min(0, most * sumLow) * inverse;
    const weight = weights[reservedAt] as number;
    let lowest = constants[failover] as number;
    for (let kind = replaceSecondary; kind <= failoverAndReplace; kind++) {
      const constant = constants[kind] as number;
      if (constant === Number.POSITIVE_INFINITY) continue;
      const slope = most * Math.abs(this.reservedSlopes[kind] as number);
      const reserved = weight * root((this.reservedBases[kind] as number) + grown - slope);
      const mirrorsOnTarget = kind === replaceSecondary || kind === failoverAndReplace;
      const known = mirrorsOnTarget ? 0 : this.term(kind);
      const both = kind <= replaceAndFailover ? replaced : left;
      const rest = (mirrorsOnTarget ? 0 : runs) + reserved - known;
      leastRests[kind] = rest;
      lowest = Math.min(lowest, constant + both + rest);
    }
    return lowest;
  }

  private term(kind: number): number {
    return this.reservedTerms[kind] as number;
  }

  private add(kind: number, term: number): void {
    this.constants[kind] = (this.constants[kind] as number) + term;
  }

  private weigh(shifts: number, squares: number, bases: Float64Array, slopes: Float64Array): void {
    const { data } = this.table;
    const { reservedAt, totals, variances, count } = this.columns;
    const inverse = 1 / count;
    for (let column = 0; column < reservedAt; column++) {
      const shift = data[shifts + column] as number;
      const total = totals[column] as number;
      const change = (data[squares + column] as number) - shift * (2 * total + shift) * inverse;
      bases[column] = (variances[column] as number) + change * inverse;
      slopes[column] = 2 * (total + shift) * inverse * inverse;
    }
  }

  private weighReserved(row: number, kind: number): void {
    const { data, reservedShifts, reservedSquares } = this.table;
    const { reservedAt, totals, variances, count, weights } = this.columns;
    const inverse = 1 / count;
    const shift = data[row + reservedShifts + kind] as number;
    const total = totals[reservedAt] as number;
    const change =
      (data[row + reservedSquares + kind] as number) - shift * (2 * total + shift) * inverse;
    const base = (variances[reservedAt] as number) + change * inverse;
    this.reservedBases[kind] = base;
    this.reservedSlopes[kind] = 2 * (total + shift) * inverse * inverse;
    this.reservedTerms[kind] = (weights[reservedAt] as number) * root(base);
  }

  /** The weighted deviations of the primary's columns if the instance runs on its secondary. */
  private exchanged(): number {
    const { weights, bothCount, reservedAt } = this.columns;
    let score = 0;
    for (let column = bothCount; column < reservedAt; column++) {
      score += (weights[column] as number) * root(this.exchangeBases[column] as number);
    }
    return score;
  }
}
