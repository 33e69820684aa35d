/**
 * The mirror node: the secondary after a move that makes the target the primary. The memory it must reserve for
 * N+1 depends on the target only if it already reserves memory for it; `OwnNodeMeasurer` assumes it does not.
 */
import { at, weights } from "../../score/metrics.js";
import type { ColumnSet } from "./column-set.js";

export interface MirrorNode {
  /** -1 if it is offline: nothing then depends on the target. */
  readonly place: number;
  /** MiB, both without the instance. */
  readonly reserved: number;
  readonly unallocated: number;
  /** Instances on it, with the mirror. */
  readonly placed: number;
}

/**
 * Whether the mirror node passes the strict check with the mirror on it.
 *
 * @param kept memory it already reserves for the target, in MiB
 * @param needed memory it must reserve for the instance, in MiB
 */
export function accepts(mirrorNode: MirrorNode, kept: number, needed: number): boolean {
  const { reserved, unallocated } = mirrorNode;
  return unallocated <= reserved || unallocated > Math.max(reserved, kept + needed);
}

/**
 * Difference of the score from that with a target for which the mirror node reserves nothing.
 *
 * @param squares sum of squares (and `shift`, sum of figures) of the column with such a target
 */
// biome-ignore lint/complexity/useMaxParams: part of the scan of candidate nodes, which makes no objects
export function mirrorNodeTerm(
  columns: ColumnSet,
  mirrorNode: MirrorNode,
  kept: number,
  needed: number,
  squares: number,
  shift: number,
): number {
  const { place, reserved, unallocated, placed } = mirrorNode;
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
