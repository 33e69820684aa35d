/**
 * All pairs of nodes that both copies of a DRBD instance could move to: disks to a new node, failover to it,
 * disks to another one. Agrees with `movePair`.
 */
import type { Refusal } from "@ganeti-ts/protocol";
import { type PairMoving, walk } from "../allocate/pair-move.js";
import { failover, type Placement, replaceSecondary } from "../fit/move.js";
import { addPrimary, addSecondary, removePrimary, removeSecondary } from "../fit/placing.js";
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import { ScoreBoard } from "../score/score-board.js";
import { makeField, RuleCounts } from "./candidate-field.js";
import type { Contender, Examined } from "./examination.js";
import { placeNames } from "./explain-choice.js";
import { failoverRefusal, replaceSecondaryRefusal } from "./move-refusal.js";
import { PairField, type PairTrial } from "./pair-field.js";
import { tried } from "./pair-trial.js";
import { PairRefusals, pairVerdicts } from "./pair-verdicts.js";
import { atStep } from "./refusal.js";
import { scoreFrom } from "./score-figures.js";
import { secondaryRefusal } from "./secondary-refusal.js";
import { TopList } from "./top-list.js";

interface Moving extends PairMoving {
  readonly cluster: Cluster;
}

/** @param winner the chosen pair, if there is one */
export function examinePairTargets(
  moving: Moving,
  scored: readonly number[],
  winner: Placement | undefined,
  listMax: number,
): Examined {
  const { cluster, instance, targets } = moving;
  const mark = cluster.mark();
  const { start, refusals: reached } = reachedBy(moving);
  removePrimary(cluster, instance, instance.index, start.primary, start.locationScore);
  removeSecondary(cluster, instance, instance.index, start.secondary, start.primary);
  const counts = new RuleCounts();
  const board = new ScoreBoard(cluster, scored);
  const trial = targetTrial(moving, start, reached, board);
  const counted = !instance.forthcoming;
  const nodes = { primaries: targets, secondaries: targets };
  const field = new PairField(cluster, board.scoreStatistics, nodes, trial, counted);
  const verdicts = pairVerdicts(field, counts);
  const refusals = new PairRefusals(cluster, field, listMax).list();
  const top = new TopList(listMax);
  const primaries = field.possiblePrimaries;
  field.rank(new Set(primaries), top);
  const feasible = primaries.reduce((sum, primary) => sum + field.feasibleWith(primary), 0);
  cluster.rollback(mark);

  const pairs = top.items.map(({ primary, secondary }) => ({ primary, secondary }));
  if (winner !== undefined && !pairs.some((pair) => isSame(pair, winner))) pairs.push(winner);
  const exact = new TopList(pairs.length);
  const scores = new Map(
    pairs.map(({ primary, secondary }) => {
      const from = cluster.mark();
      walk(cluster, moving, { primary, secondary });
      const values = scoreFrom(new ScoreBoard(cluster, scored).values);
      cluster.rollback(from);
      const total = typeof values.total === "number" ? values.total : Number.NaN;
      exact.offer(primary, secondary, total);
      return [`${primary} ${secondary}`, values] as const;
    }),
  );
  const contenders = exact.items.map(
    ({ primary, secondary }): Contender => ({
      primary,
      secondary,
      measured: { score: scores.get(`${primary} ${secondary}`) as never },
    }),
  );
  const candidates = contenders.map((one) => ({
    nodes: placeNames(cluster, one),
    ...one.measured,
    capacity: "off" as const,
  }));
  const scoreBefore = scoreFrom(new ScoreBoard(cluster, scored).values);
  const parts = { cluster, scoreBefore, feasible, counts, verdicts, candidates, refusals };
  return { field: makeField(parts), contenders, tied: exact.tied };
}

const isSame = (
  pair: { readonly primary: number; readonly secondary: number },
  { primary, secondary }: Placement,
): boolean => pair.primary === primary && pair.secondary === secondary;

/** Makes the failover that leaves an offline primary; returns the targets that cannot become the primary. */
function reachedBy({ cluster, instance, placement, targets, force }: Moving) {
  const refusals = new Map<number, Refusal>();
  let start = placement;
  if (cluster.facts.offline[placement.primary] === 1) {
    const refused = failoverRefusal(cluster, instance, placement, force);
    if (refused) {
      const inWords = atStep("Failing over to the secondary", refused);
      for (const target of targets) refusals.set(target, inWords);
      return { start, refusals };
    }
    const moved = failover(cluster, instance, placement, force);
    if (moved.ok) start = moved.placement;
  }
  for (const target of targets) {
    const refused = cannotBecomePrimary(cluster, instance, start, target, force);
    if (refused) refusals.set(target, refused);
  }
  return { start, refusals };
}

function cannotBecomePrimary(
  cluster: Cluster,
  instance: Instance,
  start: Placement,
  target: number,
  force: boolean,
): Refusal | undefined {
  const first = replaceSecondaryRefusal(cluster, instance, start, target, force);
  if (first) return atStep("Changing secondary to new primary", first);
  const mark = cluster.mark();
  const replaced = replaceSecondary(cluster, instance, start, target, force);
  const second = replaced.ok
    ? failoverRefusal(cluster, instance, replaced.placement, force)
    : undefined;
  cluster.rollback(mark);
  return second && atStep("Failing over to new primary", second);
}

/** Trials with the instance removed from its nodes. */
function targetTrial(
  { cluster, instance, force }: Moving,
  start: Placement,
  refusals: ReadonlyMap<number, Refusal>,
  board: ScoreBoard,
): PairTrial {
  const { index } = instance;
  const forced = force || cluster.facts.offline[start.primary] === 1;
  return {
    primary: (node) =>
      refusals.get(node) ?? {
        node,
        ...tried(cluster, node, () => {
          addPrimary(cluster, instance, index, node, true, 0);
          return { pairs: board.pairsAfter([node]) };
        }),
      },
    secondary: (node, primary) => {
      const refused = secondaryRefusal(cluster, instance, node, primary, { force: forced });
      if (refused) return atStep("Changing secondary to final secondary", refused);
      const added = () => {
        addSecondary(cluster, instance, index, node, primary, forced);
        return {};
      };
      return { node, ...tried(cluster, node, added) };
    },
  };
}
