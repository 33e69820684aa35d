/** All pairs of nodes for a new mirrored instance. Counts agree with `searchPairs`. */
import type { Candidate } from "@ganeti-ts/protocol";
import { bestFirst } from "../allocate/allocation.js";
import { ScoreBoard } from "../score/score-board.js";
import { makeField, RuleCounts } from "./candidate-field.js";
import type { Examination, Examined } from "./examination.js";
import { N1Test } from "./n1-test.js";
import { PairField } from "./pair-field.js";
import { pairTrial } from "./pair-trial.js";
import { PairRefusals, pairVerdicts } from "./pair-verdicts.js";
import { nodeName } from "./refusal.js";
import { scoreFrom } from "./score-figures.js";
import { TopList } from "./top-list.js";

export function examinePairs(
  examination: Examination,
  primaries: readonly number[],
  secondaries: readonly number[],
): Examined {
  const { cluster, instance, listMax } = examination;
  const board = new ScoreBoard(cluster, examination.scored);
  const trial = pairTrial(examination, board);
  const counted = !instance.forthcoming;
  const nodes = { primaries, secondaries };
  const pairs = new PairField(cluster, board.scoreStatistics, nodes, trial, counted);
  const counts = new RuleCounts();
  const verdicts = pairVerdicts(pairs, counts);
  const refusals = new PairRefusals(cluster, pairs, listMax);
  const top = new TopList(listMax);
  const { feasible, capacityOf } = testPairs(examination, pairs, { counts, refusals, top });
  const contenders = top.items.map(({ primary, secondary }) => ({
    primary,
    secondary,
    measured: { score: pairs.terms(primary, secondary) },
  }));
  const candidates = contenders.map(({ primary, secondary, measured }) => ({
    nodes: [nodeName(cluster, primary), nodeName(cluster, secondary)],
    ...measured,
    capacity: capacityOf(primary, secondary),
  }));
  const field = makeField({
    cluster,
    scoreBefore: scoreFrom(board.values),
    feasible,
    counts,
    verdicts,
    candidates,
    refusals: refusals.list(),
  });
  return { field, contenders, tied: top.tied };
}

/** Receiver of the results of the test. */
interface Outcome {
  readonly counts: RuleCounts;
  readonly refusals: PairRefusals;
  readonly top: TopList;
}

/**
 * Tests the feasible pairs for N+1: all pairs of a primary at once if its state decides them, otherwise one
 * by one.
 */
function testPairs(examination: Examination, pairs: PairField, outcome: Outcome) {
  const { capacity } = examination;
  const { counts, refusals, top } = outcome;
  const test = new N1Test(examination);
  const sure = new Set<number>();
  const tested = new Set<string>();
  let feasible = 0;
  for (const primary of pairs.possiblePrimaries) {
    const decided = capacity ? capacity.decidedFor(primary) : true;
    const possible = pairs.feasibleWith(primary);
    const addStuck = (secondary: number) =>
      refusals.addStuck(primary, secondary, () => test.refusal(primary, secondary));
    if (decided === true) {
      sure.add(primary);
      feasible += possible;
    } else if (decided === false) {
      counts.add("FailN1", possible);
      for (const { secondary } of pairs.row(primary)) if (!addStuck(secondary)) break;
    } else {
      const row = bestFirst(pairs.row(primary));
      const winner = row.findIndex(({ secondary }) => test.passes(primary, secondary));
      const failed = winner < 0 ? row.length : winner;
      counts.add("FailN1", failed);
      feasible += row.length - failed;
      for (const { secondary } of row.slice(0, failed)) addStuck(secondary);
      for (const { secondary, score } of row.slice(failed)) top.offer(primary, secondary, score);
      if (winner >= 0) tested.add(`${primary} ${row[winner]?.secondary}`);
    }
  }
  pairs.rank(sure, top);
  const capacityOf = (primary: number, secondary: number): Candidate["capacity"] => {
    if (capacity === undefined) return "off";
    return sure.has(primary) || tested.has(`${primary} ${secondary}`) ? "passes" : "untested";
  };
  return { feasible, capacityOf };
}
