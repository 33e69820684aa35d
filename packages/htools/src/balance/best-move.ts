/** Finds the move that improves the score most: every victim with every one of its moves. */
import type { Cluster } from "../cluster.js";
import type { Instance } from "../instance.js";
import { type Seat, seatOf } from "../move.js";
import { nearness, type ScoreBoard } from "../score-board.js";
import { type BalanceMove, makeMove } from "./balance-move.js";
import type { BalanceOptions } from "./balance-options.js";
import { movesOf } from "./candidates.js";

export interface Found {
  readonly index: number;
  readonly move: BalanceMove;
  readonly score: number;
}

/** The lowest score below `score`, and of equals the first; undefined if no move gets below it. */
export function bestMove(
  cluster: Cluster,
  board: ScoreBoard,
  victims: readonly number[],
  options: BalanceOptions,
  score: number,
): Found | undefined {
  const online = board.nodes.filter((node) => cluster.facts.offline[node] === 0);
  let lowest = score;
  let near: { index: number; move: BalanceMove; estimate: number }[] = [];
  for (const index of victims) {
    const instance = cluster.instances[index] as Instance;
    const seat = seatOf(cluster, index);
    for (const move of movesOf(cluster, instance, online, options)) {
      const mark = cluster.mark();
      const moved = makeMove(cluster, instance, seat, move, options.ignoreSoftErrors);
      if (!moved.ok) continue;
      const estimate = board.estimate(touchedBy(seat, moved.seat));
      cluster.rollback(mark);
      if (!(estimate <= lowest + nearness(lowest))) continue;
      near.push({ index, move, estimate });
      if (estimate < lowest) {
        lowest = estimate;
        if (near.length > 1000)
          near = near.filter((one) => one.estimate <= lowest + nearness(lowest));
      }
    }
  }
  let best: Found | undefined;
  for (const { index, move, estimate } of near) {
    if (estimate > lowest + nearness(lowest)) continue;
    const exact = exactScore(cluster, board, index, move, options.ignoreSoftErrors);
    if (exact < (best?.score ?? score)) best = { index, move, score: exact };
  }
  return best;
}

function exactScore(
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
