/**
 * Balancing of nodes step by step: each step makes the single move that lowers the score most, until none
 * gains enough. Source: Ganeti, HTools/Cluster.hs (`tryBalance`), HTools/Program/Hbal.hs.
 */

import type { CancelSignal } from "@ganeti-ts/protocol";
import { type Placement, placementOf } from "../fit/move.js";
import type { Cluster } from "../model/cluster.js";
import type { ClusterView } from "../model/cluster-views.js";
import type { Instance } from "../model/instance.js";
import { ScoreBoard } from "../score/score-board.js";
import { type BalanceMove, makeMove } from "./balance-move.js";
import { type BalanceOptions, balanceDefaults } from "./balance-options.js";
import { isOnOffline, movableInstances } from "./candidates.js";
import { optimum } from "./optimum.js";
import { touchedBy } from "./search/exhaustive-search.js";
import type { Found } from "./search/move-search.js";
import { StepSearch } from "./step-search.js";

/** One move of a balancing run, with the score after it. */
export interface BalanceStep {
  /** Index of the moved instance. */
  readonly index: number;
  readonly move: BalanceMove;
  readonly from: Placement;
  readonly to: Placement;
  readonly scoreBefore: number;
  readonly score: number;
}

/** Progress of the search, reported periodically. */
export interface BalanceProgress {
  /** Steps made so far. */
  readonly steps: number;
  readonly score: number;
  /**
   * Instance whose moves are being examined, and the number of instances still to be examined for the first
   * time.
   */
  readonly index: number;
  readonly left: number;
}

/** Callbacks of a balancing run, for progress and for stopping it. */
interface BalanceWatch {
  readonly onProgress?: ((progress: BalanceProgress) => void) | undefined;
  /** Once it is aborted the search ends, and no further step is made. */
  readonly signal?: Pick<CancelSignal, "aborted"> | undefined;
}

/** A step that was made, or progress of the search for the next one. */
type BalancePart =
  | { readonly kind: "step"; readonly step: BalanceStep }
  | { readonly kind: "progress"; readonly progress: BalanceProgress };

/** Result of balancing: scores, the steps made, and the cluster afterwards. */
export interface Balanced {
  readonly initialScore: number;
  readonly finalScore: number;
  readonly steps: number;
  /**
   * The score is close enough to the optimum; no move gains enough; the step limit was reached; the search
   * was aborted.
   */
  readonly ended: "optimum" | "no gain" | "steps" | "aborted";
}

/**
 * Yields every step after making it; the cluster is changed permanently. Only nodes of the view take
 * instances, and only instances of the view are moved; the score is that of the view's nodes.
 */
export function* balance(
  cluster: Cluster,
  view: ClusterView,
  options: Partial<BalanceOptions> = {},
  { onProgress, signal }: BalanceWatch = {},
): Generator<BalanceStep, Balanced> {
  const parts = balanceInParts(cluster, view, options, signal);
  for (;;) {
    const next = parts.next();
    if (next.done) return next.value;
    const part = next.value;
    if (part.kind === "step") yield part.step;
    else onProgress?.(part.progress);
  }
}

/**
 * Like `balance`, but the search for a step is in parts too, so that other work can happen in between: with n nodes, a
 * part costs O(n), at most about 0.1 s for 10 000 nodes, where the first step takes seconds.
 */
export function* balanceInParts(
  cluster: Cluster,
  view: ClusterView,
  options: Partial<BalanceOptions> = {},
  signal?: BalanceWatch["signal"],
): Generator<BalancePart, Balanced> {
  const chosen = { ...balanceDefaults, ...options };
  const board = new ScoreBoard(cluster, view.nodes);
  const initialScore = board.score;
  const limit = optimum(cluster, view.nodes) + chosen.minScore;
  const isActive = (index: number) => !chosen.evacuationMode || isOnOffline(cluster, index);
  let score = initialScore;
  let made = 0;
  const search = new StepSearch(cluster, board, movableInstances(cluster, view), chosen);
  const ended = (reason: Balanced["ended"]): Balanced => ({
    initialScore,
    finalScore: score,
    steps: made,
    ended: reason,
  });
  // Deferred until the next step is requested: no search follows the last step.
  let touched: readonly number[] = [];
  for (;;) {
    if (chosen.stepsMax >= 0 && made >= chosen.stepsMax) return ended("steps");
    if (!(score > limit)) return ended("optimum");
    if (signal?.aborted) return ended("aborted");
    if (touched.length > 0) {
      board.refresh(touched);
      search.moved(touched);
    }
    const searching = search.next(score, isActive);
    let looked = searching.next();
    for (; !looked.done; looked = searching.next()) {
      yield { kind: "progress", progress: { steps: made, score, ...looked.value } };
      if (signal?.aborted) return ended("aborted");
    }
    if (looked.value === undefined) return ended("no gain");
    const step = makeStep(cluster, looked.value, score, chosen.ignoreSoftErrors);
    touched = touchedBy(step.from, step.to);
    score = step.score;
    made++;
    yield { kind: "step", step };
  }
}

/** Makes the move for good. */
function makeStep(
  cluster: Cluster,
  { index, move, score }: Found,
  scoreBefore: number,
  force: boolean,
): BalanceStep {
  const from = placementOf(cluster, index);
  const instance = cluster.instances[index] as Instance;
  const moved = makeMove(cluster, instance, from, move, force);
  if (!moved.ok) throw new Error("the best move is not possible");
  const to = moved.placement;
  cluster.settle();
  cluster.relocateEntry(index, to.primary, to.secondary, to.locationScore);
  return { index, move, from, to, scoreBefore, score };
}
