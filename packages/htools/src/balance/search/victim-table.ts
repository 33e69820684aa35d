/**
 * Figures of all victims in one array, a row for each: every step scans all of them, so they are stored
 * contiguously.
 */
import type { ColumnSet } from "./column-set.js";
import { kindCount } from "./move-kinds.js";
import type { Victim } from "./victim.js";

/** Offsets of the parts of a row. Most parts hold a number per column, the last three one per kind. */
export class VictimTable {
  readonly data: Float64Array;
  readonly rowLength: number;
  /** The instance's costs; for the reserved memory, the amount its secondary must reserve, in MiB. */
  readonly costs = 0;
  /** Minimum and maximum change of a target's figure; for a pair the range includes 0. */
  readonly leastShifts: number;
  readonly mostShifts: number;
  /**
   * For the victim's nodes, sums of the changes of their figures, and of the squares, when the instance
   * leaves its primary: replace-primary, failover-to-any.
   */
  readonly leavingShifts: number;
  readonly leavingSquares: number;
  /**
   * The same sums, in columns that count on both nodes when it leaves its secondary (replace-secondary,
   * replace-and-failover); in those of the primary when it runs on its secondary (failover,
   * failover-and-replace). A kind not listed here uses the sums of leaving, or does not change the figures.
   */
  readonly exchangeShifts: number;
  readonly exchangeSquares: number;
  /** Minimum and maximum of these sums over all kinds. */
  readonly lowShifts: number;
  readonly highShifts: number;
  readonly lowSquares: number;
  readonly highSquares: number;
  /** Change of the terms that are not deviations, weighted. */
  readonly linear: number;
  readonly reservedShifts: number;
  readonly reservedSquares: number;

  constructor(
    victimCount: number,
    readonly width: number,
  ) {
    this.leastShifts = width;
    this.mostShifts = 2 * width;
    this.leavingShifts = 3 * width;
    this.leavingSquares = 4 * width;
    this.exchangeShifts = 5 * width;
    this.exchangeSquares = 6 * width;
    this.lowShifts = 7 * width;
    this.highShifts = 8 * width;
    this.lowSquares = 9 * width;
    this.highSquares = 10 * width;
    this.linear = 11 * width;
    this.reservedShifts = this.linear + kindCount;
    this.reservedSquares = this.reservedShifts + kindCount;
    this.rowLength = this.reservedSquares + kindCount;
    this.data = new Float64Array(victimCount * this.rowLength);
  }

  /** Writes the parts that do not depend on the instance's nodes. */
  enter({ row, instance, isPair, needed }: Victim, columns: ColumnSet): void {
    const mirrored = isPair ? needed : 0;
    for (let column = 0; column < this.width; column++) {
      const cost = column < columns.reservedAt ? columns.costOf(instance, column) : mirrored;
      const one = cost * (columns.unitsLow[column] as number);
      const other = cost * (columns.unitsHigh[column] as number);
      this.data[row + this.costs + column] = cost;
      // A target of a pair does not become both of its nodes.
      this.data[row + this.leastShifts + column] = Math.min(isPair ? 0 : one, one, other);
      this.data[row + this.mostShifts + column] = Math.max(isPair ? 0 : one, one, other);
    }
  }

  /** Maximum difference between a target's figures without and with the instance. */
  reach(row: number, column: number): number {
    const least = this.get(row, this.leastShifts, column);
    return Math.max(0, this.get(row, this.mostShifts, column)) - Math.min(0, least);
  }

  get(row: number, part: number, at: number): number {
    return this.data[row + part + at] as number;
  }

  /** Clears the sums of a victim's own nodes. */
  clearNodes(row: number): void {
    this.data.fill(0, row + this.leavingShifts, row + this.rowLength);
  }

  /** Adds a change of a node's figure to sums of shifts and of squares. */
  // biome-ignore lint/complexity/useMaxParams: called for every column of every victim, without making objects
  addShift(
    row: number,
    shifts: number,
    squares: number,
    at: number,
    figure: number,
    shift: number,
  ) {
    const { data } = this;
    data[row + shifts + at] = (data[row + shifts + at] as number) + shift;
    data[row + squares + at] = (data[row + squares + at] as number) + shift * (2 * figure + shift);
  }

  /** Computes the ranges, once all sums of the victim's nodes are complete. */
  noteRanges(row: number): void {
    const reservedAt = this.width - 1;
    for (let column = 0; column < reservedAt; column++) {
      this.widen(row, column, this.leavingShifts + column, this.leavingSquares + column);
      this.widen(row, column, this.exchangeShifts + column, this.exchangeSquares + column);
    }
    for (let kind = 0; kind < kindCount; kind++) {
      this.widen(row, reservedAt, this.reservedShifts + kind, this.reservedSquares + kind);
    }
  }

  private widen(row: number, column: number, shiftAt: number, squaresAt: number): void {
    const { data } = this;
    const include = (part: number, value: number, pick: (a: number, b: number) => number) => {
      data[row + part + column] = pick(data[row + part + column] as number, value);
    };
    const shift = data[row + shiftAt] as number;
    const squares = data[row + squaresAt] as number;
    include(this.lowShifts, shift, Math.min);
    include(this.highShifts, shift, Math.max);
    include(this.lowSquares, squares, Math.min);
    include(this.highSquares, squares, Math.max);
  }
}
