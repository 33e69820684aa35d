/**
 * Search for the best single node for a new instance. With n scored nodes: O(n x components) for a board, O(components)
 * for each candidate, and O(n) for the best one and each near tie of it. A kept cluster needs no board and no trials
 * (`kept-single-search.ts`).
 */

import { failN1, fits, MisfitCounts } from "../fit/misfit.js";
import type { Placement } from "../fit/move.js";
import { addPrimary } from "../fit/placing.js";
import { policyVerdict } from "../fit/policy-check.js";
import { nearness, ScoreBoard } from "../score/score-board.js";
import type { Place, Search, Solution } from "./allocation.js";
import { type CandidateScores, inExactOrder } from "./exact-order.js";
import { searchKeptSingle } from "./kept-single-search.js";

/**
 * @param locationScore current location score of the instance; 0 for a new one
 * @param boardOf board of the scored nodes as they are; the search leaves it so
 */
export function searchSingle(
  search: Search,
  candidates: readonly number[],
  locationScore: number,
  boardOf = () => new ScoreBoard(search.cluster, search.scored),
): Solution {
  const kept = searchKeptSingle(search, candidates, locationScore);
  return kept ?? searchByTrials(search, candidates, locationScore, boardOf());
}

function searchByTrials(
  search: Search,
  candidates: readonly number[],
  locationScore: number,
  board: ScoreBoard,
): Solution {
  const { cluster, instance, index, capacity } = search;
  const failures = new MisfitCounts();
  const placed = <T>(node: number, look: () => T): T => {
    const mark = cluster.mark();
    addPrimary(cluster, instance, index, node, search.ignoreSoftErrors, locationScore);
    const seen = look();
    cluster.rollback(mark);
    return seen;
  };

  const feasible: number[] = [];
  const estimates = new Map<number, number>();
  for (const node of candidates) {
    const misfit = singleMisfit(search, node, locationScore);
    if (misfit !== fits) failures.add(misfit);
    else if (capacity?.hopeless) failures.add(failN1);
    else {
      feasible.push(node);
      estimates.set(
        node,
        placed(node, () => board.estimate([node])),
      );
    }
  }

  const exact = (node: number) => placed(node, () => board.exact([node]));
  const scores: CandidateScores = {
    estimate: (node) => estimates.get(node) as number,
    exact,
    limit: (score) => score + nearness(score, search.scored.length),
  };
  let passedOver = 0;
  for (const node of inExactOrder(feasible, scores)) {
    const placement: Placement = { primary: node, secondary: -1, locationScore };
    if (capacity === undefined || placed(node, () => capacity.passes(placement))) {
      const place: Place = { ...placement, score: exact(node) };
      return { failures, successes: feasible.length - passedOver, place };
    }
    failures.add(failN1);
    passedOver++;
  }
  return { failures, successes: 0, place: undefined };
}

function singleMisfit(
  { cluster, instance, index, ignoreSoftErrors }: Search,
  node: number,
  locationScore: number,
) {
  const misfit = policyVerdict(cluster, instance, node);
  if (misfit !== fits) return misfit;
  const mark = cluster.mark();
  const added = addPrimary(cluster, instance, index, node, ignoreSoftErrors, locationScore);
  cluster.rollback(mark);
  return added;
}
