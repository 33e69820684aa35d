/**
 * All moves of an instance by making each and taking it back, whatever the cluster is like.
 * Cost: O(components) for each move, with all the work of placing.
 */

import { type Seat, seatOf } from "../../fit/move.js";
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
export function plainSearch(
  cluster: Cluster,
  board: ScoreBoard,
  index: number,
  moves: Iterable<BalanceMove>,
  force: boolean,
): readonly NearMove[] {
  const seat = seatOf(cluster, index);
  let near: NearMove[] = [];
  let lowest = Number.POSITIVE_INFINITY;
  let order = 0;
  for (const move of moves) {
    order++;
    const mark = cluster.mark();
    const moved = makeMove(cluster, cluster.instances[index] as Instance, seat, move, force);
    if (!moved.ok) continue;
    const estimate = board.estimate(touchedBy(seat, moved.seat));
    cluster.rollback(mark);
    const error = nearness(estimate);
    // What is no number can be no best move.
    if (!(estimate - error <= lowest)) continue;
    near.push({ index, order, move, estimate, error });
    if (estimate + error < lowest) {
      lowest = estimate + error;
      near = near.filter((one) => one.estimate - one.error <= lowest);
    }
  }
  return near;
}

/** As the original computes it. */
export function exactScore(
  cluster: Cluster,
  board: ScoreBoard,
  index: number,
  move: BalanceMove,
  force: boolean,
): number {
  const seat = seatOf(cluster, index);
  const mark = cluster.mark();
  const moved = makeMove(cluster, cluster.instances[index] as Instance, seat, move, force);
  if (!moved.ok) throw new Error("a move that was possible is not");
  const score = board.exact(touchedBy(seat, moved.seat));
  cluster.rollback(mark);
  return score;
}

/** The nodes that an instance leaves, goes to or stays on; each once. */
export function touchedBy(from: Seat, to: Seat): readonly number[] {
  const nodes = [from.primary, from.secondary, to.primary, to.secondary];
  return [...new Set(nodes)].filter((node) => node >= 0);
}
