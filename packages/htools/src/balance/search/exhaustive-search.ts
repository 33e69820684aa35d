/**
 * Exhaustive search: makes and undoes every move of an instance, which works for all clusters. Cost:
 * O(components) for each move, and the cost of placing.
 */

import { type Placement, placementOf } from "../../fit/move.js";
import type { Cluster } from "../../model/cluster.js";
import type { Instance } from "../../model/instance.js";
import { nearness, type ScoreBoard } from "../../score/score-board.js";
import { type BalanceMove, makeMove } from "../balance-move.js";

/** A move, its place among the instance's moves, and its score but for rounding. */
export interface NearMove {
  readonly index: number;
  readonly order: number;
  readonly move: BalanceMove;
  readonly estimate: number;
  readonly error: number;
}

/** The moves that may be the instance's best. */
export function exhaustiveSearch(
  cluster: Cluster,
  board: ScoreBoard,
  index: number,
  moves: Iterable<BalanceMove>,
  force: boolean,
): readonly NearMove[] {
  const placement = placementOf(cluster, index);
  let near: NearMove[] = [];
  let lowest = Number.POSITIVE_INFINITY;
  let order = 0;
  for (const move of moves) {
    order++;
    const mark = cluster.mark();
    const moved = makeMove(cluster, cluster.instances[index] as Instance, placement, move, force);
    if (!moved.ok) continue;
    const estimate = board.estimate(touchedBy(placement, moved.placement));
    cluster.rollback(mark);
    const error = nearness(estimate);
    // A NaN score cannot be the best.
    if (!(estimate - error <= lowest)) continue;
    near.push({ index, order, move, estimate, error });
    if (estimate + error < lowest) {
      lowest = estimate + error;
      near = near.filter((one) => one.estimate - one.error <= lowest);
    }
  }
  return near;
}

/** The score after a move, equal to the last bit to Ganeti's. */
export function exactScore(
  cluster: Cluster,
  board: ScoreBoard,
  index: number,
  move: BalanceMove,
  force: boolean,
): number {
  const placement = placementOf(cluster, index);
  const mark = cluster.mark();
  const moved = makeMove(cluster, cluster.instances[index] as Instance, placement, move, force);
  if (!moved.ok) throw new Error("a move that was possible is not");
  const score = board.exact(touchedBy(placement, moved.placement));
  cluster.rollback(mark);
  return score;
}

/** The nodes that an instance leaves, enters or stays on; each once. */
export function touchedBy(from: Placement, to: Placement): readonly number[] {
  const nodes = [from.primary, from.secondary, to.primary, to.secondary];
  return [...new Set(nodes)].filter((node) => node >= 0);
}
