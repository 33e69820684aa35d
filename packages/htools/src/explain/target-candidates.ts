/** All nodes that one step could move an instance to. Agrees with `moveToBest`. */
import type { CandidateField, Refusal } from "@ganeti-ts/protocol";
import type { Moved } from "../fit/move.js";
import type { Cluster } from "../model/cluster.js";
import { ScoreBoard } from "../score/score-board.js";
import { makeField, RuleCounts, type Verdicts } from "./candidate-field.js";
import type { Contender, Examined } from "./examination.js";
import { placeNames } from "./explain-choice.js";
import type { Role } from "./refusal.js";
import { scoreFrom } from "./score-figures.js";
import { TopList } from "./top-list.js";

export interface TargetTrial {
  /** Role of the target. */
  readonly role: Role;
  readonly move: (target: number) => Moved;
  readonly refusal: (target: number) => Refusal | undefined;
  /** Placement after the move, for naming candidates. */
  readonly place: (target: number) => { readonly primary: number; readonly secondary: number };
  /** Nodes that the move changes in addition to the target. */
  readonly left: readonly number[];
}

export function examineTargets(
  cluster: Cluster,
  scored: readonly number[],
  targets: readonly number[],
  trial: TargetTrial,
  listMax: number,
): Examined {
  const board = new ScoreBoard(cluster, scored);
  const counts = new RuleCounts();
  const refusals: CandidateField["refusals"] = [];
  const top = new TopList(listMax);
  const moved = <T>(target: number, look: () => T): T => {
    const mark = cluster.mark();
    trial.move(target);
    const seen = look();
    cluster.rollback(mark);
    return seen;
  };
  let feasible = 0;
  const verdicts = targets.map((target): Verdicts => {
    const refusal = trial.refusal(target);
    const verdict = { refusal, candidates: refusal ? 1 : 0 };
    if (refusal) {
      counts.add(refusal.rule, 1);
      if (refusals.length < listMax) {
        refusals.push({ nodes: placeNames(cluster, trial.place(target)), refusal });
      }
    } else {
      feasible++;
      const changed = [...new Set([...trial.left, target])];
      top.offer(
        target,
        -1,
        moved(target, () => board.exact(changed)),
      );
    }
    return trial.role === "primary"
      ? { node: target, primary: verdict }
      : { node: target, secondary: verdict };
  });
  const contenders = top.items.map(
    ({ primary: target }): Contender => ({
      ...trial.place(target),
      measured: { score: moved(target, () => scoreFrom(new ScoreBoard(cluster, scored).values)) },
    }),
  );
  const candidates = contenders.map((one) => ({
    nodes: placeNames(cluster, one),
    ...one.measured,
    capacity: "off" as const,
  }));
  const scoreBefore = scoreFrom(board.values);
  const parts = { cluster, scoreBefore, feasible, counts, verdicts, candidates, refusals };
  return { field: makeField(parts), contenders, tied: top.tied };
}
