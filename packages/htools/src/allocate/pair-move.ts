/**
 * Move of both copies of a DRBD instance: disks to a new node, failover to it, disks to another one. All
 * ordered pairs of targets are considered; the final state with the lowest score wins, the last among equals.
 * Cost: O(targets) trials and few of the O(targets²) scores, see `PairTable`.
 */

import { fits, type Misfit, misfitNames } from "../fit/misfit.js";
import { failover, type Moved, type Placement, replaceSecondary } from "../fit/move.js";
import { addPrimary, addSecondary, removePrimary, removeSecondary } from "../fit/placing.js";
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import type { PeerMap } from "../model/peer-map.js";
import { measureNode } from "../score/metrics.js";
import { NearBest, type Pair } from "../score/near-best.js";
import { PairTable, type PrimaryOption, type SecondaryOption } from "../score/pair-table.js";
import { scoreAfter } from "../score/running-score.js";
import { ScoreBoard } from "../score/score-board.js";
import { failure, type Result, success } from "./request-options.js";

/** A DRBD instance whose copies both move. */
export interface PairMoving {
  readonly instance: Instance;
  readonly placement: Placement;
  readonly targets: readonly number[];
  /** Skips the soft checks. */
  readonly force: boolean;
}

/** @param scored nodes whose score is compared */
export function movePair(
  cluster: Cluster,
  moving: PairMoving,
  scored: readonly number[],
): Result<Placement> {
  const { targets } = moving;
  if (targets.length < 2) return failure("no nodes available");
  const best = new PairMove(cluster, moving, scored).best();
  if (best === undefined) {
    const [secondary, primary] = targets.slice(-2) as [number, number];
    const mark = cluster.mark();
    const walked = walk(cluster, moving, { primary, secondary });
    cluster.rollback(mark);
    if (walked.ok) throw new Error("no pair of nodes was possible, yet the last one is");
    return failure(`Allocation failed: ${walked.step}`);
  }
  const moved = walk(cluster, moving, best);
  return moved.ok ? success(moved.placement) : failure(`Allocation failed: ${moved.step}`);
}

export type Walked =
  | { readonly ok: true; readonly placement: Placement }
  | { readonly ok: false; readonly step: string };

/** Makes the steps in order; undoes none of them. */
export function walk(
  cluster: Cluster,
  { instance, placement: from, force }: Omit<PairMoving, "targets">,
  { primary, secondary }: Pair,
): Walked {
  const steps: [string, (placement: Placement) => Moved][] = [
    [
      "Changing secondary to new primary",
      (placement) => replaceSecondary(cluster, instance, placement, primary, force),
    ],
    ["Failing over to new primary", (placement) => failover(cluster, instance, placement, force)],
    [
      "Changing secondary to final secondary",
      (placement) => replaceSecondary(cluster, instance, placement, secondary, force),
    ],
  ];
  if (cluster.facts.offline[from.primary] === 1) {
    steps.unshift([
      "Failing over to the secondary",
      (placement) => failover(cluster, instance, placement, force),
    ]);
  }
  let placement = from;
  for (const [name, step] of steps) {
    const moved = step(placement);
    if (!moved.ok) return { ok: false, step: `${name}: ${misfitNames[moved.misfit]}` };
    placement = moved.placement;
  }
  return { ok: true, placement };
}

class PairMove {
  private readonly mark: number;
  private readonly instance: Instance;
  private readonly targets: readonly number[];
  private readonly force: boolean;
  /** Placement after the initial failover away from an offline primary. */
  private readonly start: Placement | undefined;

  constructor(
    private readonly cluster: Cluster,
    private readonly moving: PairMoving,
    private readonly scored: readonly number[],
  ) {
    const { instance, placement, targets, force } = moving;
    this.instance = instance;
    this.targets = targets;
    this.force = force;
    this.mark = cluster.mark();
    this.start = placement;
    if (cluster.facts.offline[placement.primary] === 1) {
      const moved = failover(cluster, instance, placement, force);
      this.start = moved.ok ? moved.placement : undefined;
    }
  }

  best(): Pair | undefined {
    const { cluster, start } = this;
    const near = start === undefined ? [] : this.nearBest(start);
    cluster.rollback(this.mark);
    if (near.length < 2) return near[0];
    const board = new ScoreBoard(cluster, this.scored);
    near.sort((a, b) => a.primary - b.primary || a.secondary - b.secondary);
    let best: { pair: Pair; score: number } | undefined;
    for (const pair of near) {
      const score = this.exactScore(board, pair);
      if (best === undefined || !(best.score < score)) best = { pair, score };
    }
    return best?.pair;
  }

  private exactScore(board: ScoreBoard, pair: Pair): number {
    const { cluster, moving } = this;
    const { placement } = moving;
    const mark = cluster.mark();
    walk(cluster, moving, pair);
    const touched = [placement.primary, placement.secondary, pair.primary, pair.secondary];
    const score = board.exact([...new Set(touched)]);
    cluster.rollback(mark);
    return score;
  }

  /** The pairs that may be best, by incremental score. */
  private nearBest(start: Placement): Pair[] {
    const { cluster, instance, targets } = this;
    const reachable = targets.filter((target) => this.canBecomePrimary(start, target));
    const { primary, secondary, locationScore } = start;
    removePrimary(cluster, instance, instance.index, primary, locationScore);
    removeSecondary(cluster, instance, instance.index, secondary, primary);
    // On the way the instance returns to its primary, which keeps resources that are never returned: spindles
    // whose number is unknown.
    if (addPrimary(cluster, instance, instance.index, primary, true, locationScore) === fits) {
      removePrimary(cluster, instance, instance.index, primary, locationScore);
    }
    const board = new ScoreBoard(cluster, this.scored);
    const forced = this.force || cluster.facts.offline[primary] === 1;
    const primaries = reachable.map((node) => this.primaryOption(board, node));
    const usual = new Map<number, SecondaryOption>();
    for (const node of targets) {
      const option = this.secondaryOption(node, -1, forced);
      if (typeof option !== "number") usual.set(node, option);
    }
    const { scoreStatistics } = board;
    const near = new NearBest();
    const finite = [...scoreStatistics.totals, ...scoreStatistics.variances].every(Number.isFinite);
    const reserving = this.peerReservations(reachable);
    // Locations of a forthcoming instance do not count before it exists.
    const located =
      !instance.forthcoming && cluster.facts.locations.some((tags) => tags.length > 0);
    if (finite) {
      const shared = located ? cluster.sharedLocations.bind(cluster) : undefined;
      const table = new PairTable(scoreStatistics, primaries, [...usual.values()], shared);
      table.visit(
        new Set(reachable),
        () => near.limit,
        (node) => reserving.get(node) ?? [],
        (from, to, score) => near.offer({ primary: from, secondary: to }, score),
      );
    }
    for (const option of primaries) {
      const others = finite ? (reserving.get(option.node) ?? []) : targets;
      for (const node of others) {
        if (node === option.node) continue;
        const second = this.secondaryOption(node, option.node, forced);
        if (typeof second === "number") continue;
        const score = scoreAfter(
          scoreStatistics,
          [
            { ...option, offline: false },
            { ...second, offline: false },
          ],
          option.pairs,
        );
        const shared = located ? cluster.sharedLocations(option.node, node) : 0;
        // Updating treats NaN as 0, which recomputing does not: every pair may then be best.
        const comparable = finite ? score + shared : Number.NaN;
        near.offer({ primary: option.node, secondary: node }, comparable);
      }
    }
    return near.pairs;
  }

  private canBecomePrimary(start: Placement, target: number): boolean {
    const { cluster, instance, force } = this;
    const mark = cluster.mark();
    const replaced = replaceSecondary(cluster, instance, start, target, force);
    const reached = replaced.ok && failover(cluster, instance, replaced.placement, force).ok;
    cluster.rollback(mark);
    return reached;
  }

  private primaryOption(board: ScoreBoard, node: number): PrimaryOption {
    const { cluster, instance } = this;
    const before = measureNode(cluster, node);
    const mark = cluster.mark();
    addPrimary(cluster, instance, instance.index, node, true, 0);
    const option = {
      node,
      before,
      after: measureNode(cluster, node),
      pairs: board.pairsAfter([node]),
    };
    cluster.rollback(mark);
    return option;
  }

  private secondaryOption(node: number, primary: number, force: boolean): SecondaryOption | Misfit {
    const { cluster, instance } = this;
    const before = measureNode(cluster, node);
    const mark = cluster.mark();
    const misfit = addSecondary(cluster, instance, instance.index, node, primary, force);
    if (misfit !== fits) return misfit;
    const option = { node, before, after: measureNode(cluster, node) };
    cluster.rollback(mark);
    return option;
  }

  /** By new primary: targets that already reserve memory for it. */
  private peerReservations(primaries: readonly number[]): Map<number, number[]> {
    const isPrimary = new Set(primaries);
    const reserving = new Map<number, number[]>();
    for (const node of this.targets) {
      for (const peer of this.cluster.peers[node] as PeerMap) {
        if (!isPrimary.has(peer.node) || peer.node === node) continue;
        reserving.set(peer.node, [...(reserving.get(peer.node) ?? []), node]);
      }
    }
    return reserving;
  }
}
