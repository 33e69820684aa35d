/**
 * The node that keeps a mirror while the target becomes the primary. What it must reserve for N+1
 * depends on the target only where it keeps memory for that already; `Sides` assumes it does not.
 */
import { at, weights } from "../../score/metrics.js";
import type { ColumnSet } from "./column-set.js";

export interface Keeper {
  /** -1 if it is offline: nothing then depends on the target. */
  readonly place: number;
  /** MiB, both without the instance. */
  readonly reserved: number;
  readonly unallocated: number;
  /** Instances on it, with the mirror. */
  readonly placed: number;
}

/**
 * Whether a strict check lets it keep the mirror.
 *
 * @param kept what it keeps already for the target
 * @param needed what it has to keep for the instance
 */
export function accepts(keeper: Keeper, kept: number, needed: number): boolean {
  const { reserved, unallocated } = keeper;
  return unallocated <= reserved || unallocated > Math.max(reserved, kept + needed);
}

/**
 * How much more the score is than with a target for which it keeps nothing.
 *
 * @param squares sum of squares and of figures that such a target would give the column
 */
export function keeperTerm(
  columns: ColumnSet,
  keeper: Keeper,
  kept: number,
  needed: number,
  squares: number,
  shift: number,
): number {
  const { place, reserved, unallocated, placed } = keeper;
  const usual = Math.max(reserved, needed);
  const actual = Math.max(reserved, kept + needed);
  if (place < 0 || actual === usual) return 0;
  const column = columns.reservedAt;
  const from = place * columns.width + column;
  const unit = columns.units[from] as number;
  const figure = 2 * (columns.figures[from] as number);
  const before = columns.reserved[place] as number;
  const usualShift = (usual - before) * unit;
  const actualShift = (actual - before) * unit;
  const squaresAfter =
    squares - usualShift * (figure + usualShift) + actualShift * (figure + actualShift);
  const deviation =
    columns.deviationAfter(column, squaresAfter, shift - usualShift + actualShift) -
    columns.deviationAfter(column, squares, shift);
  const fails = unallocated <= actual ? placed : 0;
  const failed = unallocated <= usual ? placed : 0;
  return (
    (columns.weights[column] as number) * deviation +
    (weights[at.reservedTotal] as number) * (actualShift - usualShift) +
    (fails - failed)
  );
}
