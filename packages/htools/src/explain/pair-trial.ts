/** Trials of a new instance on each node, as primary and as secondary. */

import { addPrimary, addSecondary } from "../fit/placing.js";
import type { Cluster } from "../model/cluster.js";
import { measureNode } from "../score/metrics.js";
import type { ScoreBoard } from "../score/score-board.js";
import type { Examination } from "./examination.js";
import type { PairTrial } from "./pair-field.js";
import { policyRefusal } from "./policy-refusal.js";
import { primaryRefusal } from "./primary-refusal.js";
import { secondaryRefusal } from "./secondary-refusal.js";

/** Soft errors of a secondary are never ignored. */
export function pairTrial(examination: Examination, board: ScoreBoard): PairTrial {
  const { cluster, instance, index, ignoreSoftErrors: force } = examination;
  return {
    primary: (node) =>
      policyRefusal(cluster, instance, node) ??
      primaryRefusal(cluster, instance, node, force) ?? {
        node,
        ...tried(cluster, node, () => {
          addPrimary(cluster, instance, index, node, force, 0);
          return { pairs: board.pairsAfter([node]) };
        }),
      },
    secondary: (node, primary) =>
      secondaryRefusal(cluster, instance, node, primary, { force: false }) ?? {
        node,
        ...tried(cluster, node, () => {
          addSecondary(cluster, instance, index, node, primary, false);
          return {};
        }),
      },
  };
}

/** The node's measures before and after, with the result of `place`; the change is undone. */
export function tried<T extends object>(cluster: Cluster, node: number, place: () => T) {
  const before = measureNode(cluster, node);
  const mark = cluster.mark();
  const seen = place();
  const after = measureNode(cluster, node);
  cluster.rollback(mark);
  return { before, after, ...seen };
}
