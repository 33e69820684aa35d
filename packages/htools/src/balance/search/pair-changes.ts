/**
 * Search for the best two new nodes of a forthcoming instance, which may change both at once. Its primary and
 * its secondary change different figures, or the same ones independently: as for a new instance, few of the
 * O(nodes²) pairs are examined (`PairTable`).
 */

import { fits } from "../../fit/misfit.js";
import { placementOf } from "../../fit/move.js";
import { addPrimary, addSecondary, removePrimary, removeSecondary } from "../../fit/placing.js";
import type { Cluster } from "../../model/cluster.js";
import type { Instance } from "../../model/instance.js";
import { measureNode } from "../../score/metrics.js";
import { NearBest } from "../../score/near-best.js";
import { PairTable, type PrimaryOption, type SecondaryOption } from "../../score/pair-table.js";
import { ScoreBoard } from "../../score/score-board.js";
import type { BalanceMove } from "../balance-move.js";
import { targetsOf } from "../candidates.js";

/**
 * The moves to two other nodes that may have the lowest score, in index order; only those that may get below
 * `score`.
 */
export function pairChanges(
  cluster: Cluster,
  instance: Instance,
  { scored, online }: { readonly scored: readonly number[]; readonly online: readonly number[] },
  force: boolean,
  score: number,
): readonly BalanceMove[] {
  const { index } = instance;
  const { primary, secondary, locationScore } = placementOf(cluster, index);
  const mark = cluster.mark();
  removePrimary(cluster, instance, index, primary, locationScore);
  removeSecondary(cluster, instance, index, secondary, primary);
  const board = new ScoreBoard(cluster, scored);
  const targets = targetsOf(cluster, instance, online);
  const primaries: PrimaryOption[] = [];
  const secondaries: SecondaryOption[] = [];
  for (const node of targets) {
    const before = measureNode(cluster, node);
    const here = cluster.mark();
    if (addPrimary(cluster, instance, index, node, force, 0) === fits) {
      const pairs = board.pairsAfter([node]);
      primaries.push({ node, before, after: measureNode(cluster, node), pairs });
    }
    cluster.rollback(here);
    // Forthcoming instances reserve no memory for N+1, whichever node is the primary.
    if (addSecondary(cluster, instance, index, node, -1, force) === fits) {
      secondaries.push({ node, before, after: measureNode(cluster, node) });
    }
    cluster.rollback(here);
  }
  const near = new NearBest(score);
  const table = new PairTable(board.scoreStatistics, primaries, secondaries, undefined);
  table.visit(
    new Set(primaries.map(({ node }) => node)),
    () => near.limit,
    () => [],
    (first, second, estimate) => near.offer({ primary: first, secondary: second }, estimate),
  );
  cluster.rollback(mark);
  const byIndex = near.pairs.sort((a, b) => a.primary - b.primary || a.secondary - b.secondary);
  return byIndex.map((pair) => ({ kind: "change-both", ...pair }));
}
