/**
 * The figures of all victims in one array, a row for each: every step goes through all of them, so
 * they had better lie side by side.
 */
import type { ColumnSet } from "./column-set.js";
import { kindCount } from "./move-kinds.js";
import type { Victim } from "./victim.js";

/** Where the parts of a row begin. Most hold a number per column, the last three one per kind. */
export class VictimTable {
  readonly data: Float64Array;
  readonly rowLength: number;
  /** What the instance costs; of the reserved memory what its secondary has to keep, in MiB. */
  readonly costs = 0;
  /** The least and most it changes a target's figure by; of a pair 0 is always among them. */
  readonly leastShifts: number;
  readonly mostShifts: number;
  /**
   * Of the victim's nodes, the sums of the change of their figures, and of their squares, when the
   * instance leaves its primary: replace-primary, failover-to-any.
   */
  readonly leavingShifts: number;
  readonly leavingSquares: number;
  /**
   * The same, in columns that count on both nodes when it leaves its secondary (replace-secondary,
   * replace-and-failover); in those of the primary when it runs on its secondary (failover,
   * failover-and-replace). What a kind has not of these it has of leaving, or no change at all.
   */
  readonly exchangeShifts: number;
  readonly exchangeSquares: number;
  /** The least and most of these that any kind has. */
  readonly lowShifts: number;
  readonly highShifts: number;
  readonly lowSquares: number;
  readonly highSquares: number;
  /** Change of all that is no deviation, weighted. */
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

  /** Enters what does not depend on where the instance is. */
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

  /** How far apart a target's figure without and with the instance can be. */
  reach(row: number, column: number): number {
    const least = this.get(row, this.leastShifts, column);
    return Math.max(0, this.get(row, this.mostShifts, column)) - Math.min(0, least);
  }

  get(row: number, part: number, at: number): number {
    return this.data[row + part + at] as number;
  }

  /** Forgets what is known of a victim's own nodes. */
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

  /** Notes the ranges, once all that is known of the victim's nodes is in. */
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
