/** All nodes for a new instance. Counts agree with `searchSingle`. */
import type { Candidate, CandidateField } from "@ganeti-ts/protocol";
import { bestFirst } from "../allocate/allocation.js";
import { addPrimary } from "../fit/placing.js";
import { ScoreBoard } from "../score/score-board.js";
import { makeField, RuleCounts, type Verdicts } from "./candidate-field.js";
import type { Examination, Examined } from "./examination.js";
import { N1Test } from "./n1-test.js";
import { policyRefusal } from "./policy-refusal.js";
import { primaryRefusal } from "./primary-refusal.js";
import { nodeName } from "./refusal.js";
import { scoreFrom } from "./score-figures.js";

/** @param locationScore current location score of the instance; 0 for a new one */
export function examineSingleNodes(
  examination: Examination,
  nodes: readonly number[],
  locationScore: number,
): Examined {
  const { cluster, capacity, listMax } = examination;
  const board = new ScoreBoard(cluster, examination.scored);
  const placed = placing(examination, locationScore);
  const counts = new RuleCounts();
  const { verdicts, feasible, refusals } = tryNodes(examination, nodes, counts, (node) =>
    placed(node, () => board.exact([node])),
  );
  const test = new N1Test(examination, locationScore);
  const ranked = bestFirst(feasible);
  const winner = ranked.findIndex(({ node }) => test.passes(node, -1));
  const failed = winner < 0 ? ranked.length : winner;
  counts.add("FailN1", failed);
  const stuck = ranked
    .slice(0, Math.min(failed, listMax))
    .map(({ node }) => ({ nodes: [nodeName(cluster, node)], refusal: test.refusal(node, -1) }));
  const remaining = ranked.slice(failed);
  const contenders = remaining.slice(0, listMax).map(({ node }) => ({
    primary: node,
    secondary: -1,
    measured: {
      score: scoreFrom(placed(node, () => new ScoreBoard(cluster, examination.scored).values)),
    },
  }));
  const candidates = contenders.map(({ primary, measured }, rank) => ({
    nodes: [nodeName(cluster, primary)],
    ...measured,
    capacity: (capacity === undefined
      ? "off"
      : rank === 0
        ? "passes"
        : "untested") as Candidate["capacity"],
  }));
  const field = makeField({
    cluster,
    scoreBefore: scoreFrom(board.values),
    feasible: remaining.length,
    counts,
    verdicts,
    candidates,
    refusals: [...stuck, ...refusals].slice(0, listMax),
  });
  const tied = remaining.filter(({ score }) => score === remaining[0]?.score).length;
  return { field, contenders, tied };
}

/** Returns a function that evaluates the cluster with the instance on a node. */
function placing(examination: Examination, locationScore: number) {
  const { cluster, instance, index, ignoreSoftErrors } = examination;
  return <T>(node: number, look: () => T): T => {
    const mark = cluster.mark();
    addPrimary(cluster, instance, index, node, ignoreSoftErrors, locationScore);
    const seen = look();
    cluster.rollback(mark);
    return seen;
  };
}

/**
 * Checks every node separately; counts its refusal, or computes the score of the cluster with the instance on
 * it.
 */
function tryNodes(
  { cluster, instance, ignoreSoftErrors }: Examination,
  nodes: readonly number[],
  counts: RuleCounts,
  scoreOn: (node: number) => number,
) {
  const refusals: CandidateField["refusals"] = [];
  const feasible: { node: number; score: number }[] = [];
  const verdicts = nodes.map((node): Verdicts => {
    const refusal =
      policyRefusal(cluster, instance, node) ??
      primaryRefusal(cluster, instance, node, ignoreSoftErrors);
    if (refusal) {
      counts.add(refusal.rule, 1);
      refusals.push({ nodes: [nodeName(cluster, node)], refusal });
      return { node, primary: { refusal, candidates: 1 } };
    }
    feasible.push({ node, score: scoreOn(node) });
    return { node, primary: { refusal, candidates: 0 } };
  });
  return { verdicts, feasible, refusals };
}
