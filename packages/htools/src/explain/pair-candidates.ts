/** Every pair of nodes a new mirrored instance could be put on. Counts agree with `searchPairs`. */
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
  const { cluster, instance, capacity, listMax } = examination;
  const board = new ScoreBoard(cluster, examination.scored);
  const trial = pairTrial(examination, board);
  const counted = !instance.forthcoming;
  const field = new PairField(
    cluster,
    board.scoreStatistics,
    primaries,
    secondaries,
    trial,
    counted,
  );
  const test = new N1Test(examination);
  const counts = new RuleCounts();
  const verdicts = pairVerdicts(field, counts);
  const refusals = new PairRefusals(cluster, field, listMax);
  const top = new TopList(listMax);

  const sure = new Set<number>();
  const tested = new Set<string>();
  let feasible = 0;
  for (const primary of field.possiblePrimaries) {
    const decided = capacity ? capacity.decidedFor(primary) : true;
    const possible = field.feasibleWith(primary);
    if (decided === true) {
      sure.add(primary);
      feasible += possible;
    } else if (decided === false) {
      counts.add("FailN1", possible);
      for (const { secondary } of field.row(primary)) {
        if (!refusals.addStuck(primary, secondary, () => test.refusal(primary, secondary))) break;
      }
    } else {
      const row = bestFirst(field.row(primary));
      const winner = row.findIndex(({ secondary }) => test.passes(primary, secondary));
      const failed = winner < 0 ? row.length : winner;
      counts.add("FailN1", failed);
      feasible += row.length - failed;
      for (const { secondary } of row.slice(0, failed)) {
        refusals.addStuck(primary, secondary, () => test.refusal(primary, secondary));
      }
      for (const { secondary, score } of row.slice(failed)) top.offer(primary, secondary, score);
      if (winner >= 0) tested.add(`${primary} ${row[winner]?.secondary}`);
    }
  }
  field.rank(sure, top);

  const capacityOf = (primary: number, secondary: number): Candidate["capacity"] => {
    if (capacity === undefined) return "off";
    return sure.has(primary) || tested.has(`${primary} ${secondary}`) ? "passes" : "untested";
  };
  const contenders = top.items.map(({ primary, secondary }) => ({
    primary,
    secondary,
    measured: { score: field.terms(primary, secondary) },
  }));
  const candidates = contenders.map(({ primary, secondary, measured }) => ({
    nodes: [nodeName(cluster, primary), nodeName(cluster, secondary)],
    ...measured,
    capacity: capacityOf(primary, secondary),
  }));
  const scoreBefore = scoreFrom(board.values);
  const made = makeField({
    cluster,
    scoreBefore,
    feasible,
    counts,
    verdicts,
    candidates,
    refusals: refusals.list(),
  });
  return { field: made, contenders, tied: top.tied };
}
