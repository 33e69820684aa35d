/**
 * Search for the best single node for a new instance. Cost: O(candidates x components) and O(nodes) per near
 * tie.
 */

import { failN1, fits, MisfitCounts } from "../fit/misfit.js";
import { addPrimary } from "../fit/placing.js";
import { policyMisfit } from "../fit/policy-check.js";
import { nearness, ScoreBoard } from "../score/score-board.js";
import { bestFirst, type Place, type Search, type Solution } from "./allocation.js";

interface Candidate {
  readonly node: number;
  readonly estimate: number;
}

/** @param locationScore current location score of the instance; 0 for a new one */
export function searchSingle(
  search: Search,
  candidates: readonly number[],
  locationScore: number,
): Solution {
  const { cluster, instance, index, capacity } = search;
  const failures = new MisfitCounts();
  const board = new ScoreBoard(cluster, search.scored);
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
  for (const { node, score } of inExactOrder(feasible, exact)) {
    const place: Place = { primary: node, secondary: -1, locationScore, score };
    if (capacity === undefined || placed(node, () => capacity.passes(place))) {
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

/** The candidates by exact score, computed only for those whose estimate is near the next best. */
function* inExactOrder(
  feasible: readonly Candidate[],
  exact: (node: number) => number,
): Generator<{ readonly node: number; readonly score: number }> {
  if (feasible.some(({ estimate }) => !Number.isFinite(estimate))) {
    yield* bestFirst(feasible.map(({ node }) => ({ node, score: exact(node) })));
    return;
  }
  const waiting = [...feasible].sort((a, b) => a.estimate - b.estimate);
  let ranked: { node: number; score: number }[] = [];
  for (let next = 0; next < waiting.length || ranked.length > 0; ) {
    const horizon = ranked[0]?.score ?? (waiting[next] as Candidate).estimate;
    const limit = horizon + nearness(horizon);
    const from = next;
    while (next < waiting.length && (waiting[next] as Candidate).estimate <= limit) next++;
    if (next > from) {
      const evaluated = waiting.slice(from, next).map(({ node }) => ({ node, score: exact(node) }));
      ranked = [...ranked, ...evaluated].sort((a, b) => a.score - b.score || b.node - a.node);
      continue;
    }
    yield ranked.shift() as { node: number; score: number };
  }
}
