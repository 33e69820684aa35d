/**
 * Search for the best single node for a new instance. Cost: O(candidates x components), and O(nodes) for the best
 * candidate and each near tie of a candidate that is examined.
 */

import { failN1, fits, MisfitCounts } from "../fit/misfit.js";
import type { Placement } from "../fit/move.js";
import { addPrimary } from "../fit/placing.js";
import { policyMisfit } from "../fit/policy-check.js";
import { nearness, ScoreBoard } from "../score/score-board.js";
import { bestFirst, type Place, type Search, type Solution } from "./allocation.js";

interface Candidate {
  readonly node: number;
  readonly estimate: number;
}

/**
 * @param locationScore current location score of the instance; 0 for a new one
 * @param board of the scored nodes as they are; the search leaves it so
 */
export function searchSingle(
  search: Search,
  candidates: readonly number[],
  locationScore: number,
  board = new ScoreBoard(search.cluster, search.scored),
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

  const feasible: Candidate[] = [];
  for (const node of candidates) {
    const misfit = singleMisfit(search, node, locationScore);
    if (misfit !== fits) failures.add(misfit);
    else if (capacity?.hopeless) failures.add(failN1);
    else feasible.push({ node, estimate: placed(node, () => board.estimate([node])) });
  }

  const exact = (node: number) => placed(node, () => board.exact([node]));
  let passedOver = 0;
  for (const node of inExactOrder(feasible, exact, search.scored.length)) {
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
  const { data, facts } = cluster;
  const group = data.groups[facts.groupOf[node] as number] as (typeof data.groups)[number];
  const misfit = policyMisfit(instance, group.policy, facts.exclusiveStorage[node] === 1);
  if (misfit !== fits) return misfit;
  const mark = cluster.mark();
  const added = addPrimary(cluster, instance, index, node, ignoreSoftErrors, locationScore);
  cluster.rollback(mark);
  return added;
}

/**
 * The candidates by exact score, which is computed only for those whose estimates are near each other.
 * @param count number of scored nodes
 */
function* inExactOrder(
  feasible: readonly Candidate[],
  exact: (node: number) => number,
  count: number,
): Generator<number> {
  if (feasible.some(({ estimate }) => !Number.isFinite(estimate))) {
    const scored = feasible.map(({ node }) => ({ node, score: exact(node) }));
    for (const { node } of bestFirst(scored)) yield node;
    return;
  }
  const waiting = [...feasible].sort((a, b) => a.estimate - b.estimate);
  let ranked: { node: number; score: number }[] = [];
  for (let next = 0; next < waiting.length || ranked.length > 0; ) {
    const first = waiting[next];
    const horizon = ranked[0]?.score ?? (first as Candidate).estimate;
    const limit = horizon + nearness(horizon, count);
    const from = next;
    while (next < waiting.length && (waiting[next] as Candidate).estimate <= limit) next++;
    if (next === from) yield (ranked.shift() as { node: number }).node;
    else if (next === from + 1 && ranked.length === 0) yield (first as Candidate).node;
    else {
      const evaluated = waiting.slice(from, next).map(({ node }) => ({ node, score: exact(node) }));
      ranked = [...ranked, ...evaluated].sort((a, b) => a.score - b.score || b.node - a.node);
    }
  }
}
