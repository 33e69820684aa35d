/** Choice of the target node that leaves the nodes of a group best balanced. */
import type { Cluster } from "../model/cluster.js";
import { nearness, type ScoreBoard } from "../score/score-board.js";
import { type Misfit, misfitNames } from "./misfit.js";
import type { Moved, Placement } from "./move.js";

export type Targeted =
  | { readonly ok: true; readonly target: number; readonly placement: Placement }
  | { readonly ok: false; readonly refusals: readonly { node: number; misfit: Misfit }[] };

/**
 * Tries `move` to each target and makes the one after which the board's nodes have the lowest score; among
 * equals, the last. Cost: O(targets x components), plus O(nodes) for each near-best target.
 *
 * @param left nodes that the move changes in addition to the target
 */
export function moveToBest(
  cluster: Cluster,
  board: ScoreBoard,
  targets: readonly number[],
  left: readonly number[],
  move: (target: number) => Moved,
): Targeted {
  const refusals: { node: number; misfit: Misfit }[] = [];
  const candidates: { target: number; estimate: number }[] = [];
  let lowest = Number.POSITIVE_INFINITY;
  for (const target of targets) {
    const mark = cluster.mark();
    const moved = move(target);
    if (!moved.ok) {
      refusals.push({ node: target, misfit: moved.misfit });
      continue;
    }
    const estimate = board.estimate(distinct(left, target));
    cluster.rollback(mark);
    candidates.push({ target, estimate });
    if (estimate < lowest) lowest = estimate;
  }
  const best = bestCandidate(candidates, lowest, (target) => {
    const mark = cluster.mark();
    move(target);
    const score = board.exact(distinct(left, target));
    cluster.rollback(mark);
    return score;
  });
  const moved = best === undefined ? undefined : move(best);
  if (best === undefined || !moved?.ok) return { ok: false, refusals };
  return { ok: true, target: best, placement: moved.placement };
}

/** Lowest exact score, the last among equals; NaN scores never lose to an earlier one. */
function bestCandidate(
  candidates: readonly { target: number; estimate: number }[],
  lowest: number,
  exact: (target: number) => number,
): number | undefined {
  const limit = lowest + nearness(lowest);
  const near = candidates.filter(({ estimate }) => !(estimate > limit));
  if (near.length < 2) return near[0]?.target;
  let best: { target: number; score: number } | undefined;
  for (const { target } of near) {
    const score = exact(target);
    if (best === undefined || !(best.score < score)) best = { target, score };
  }
  return best?.target;
}

const distinct = (left: readonly number[], target: number): readonly number[] =>
  left.includes(target) ? left : [...left, target];

/** Refusals in Ganeti's wording: ` Node n1 failed: FailMem; Node n2 failed: FailDisk;`. */
export const refusalText = (
  cluster: Cluster,
  refusals: readonly { node: number; misfit: Misfit }[],
): string =>
  refusals
    .map(
      ({ node, misfit }) =>
        ` Node ${cluster.data.nodes[node]?.name} failed: ${misfitNames[misfit]};`,
    )
    .join("");
