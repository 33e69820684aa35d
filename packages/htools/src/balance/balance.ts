/**
 * Balancing of nodes step by step: each step makes the single move that lowers the score most, until none
 * gains enough. Source: Ganeti, HTools/Cluster.hs (`tryBalance`), HTools/Program/Hbal.hs.
 */

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
export interface BalanceWatch {
  readonly onProgress?: ((progress: BalanceProgress) => void) | undefined;
  /** An AbortSignal. Once it is aborted no further step starts. */
  readonly signal?: { readonly aborted: boolean } | undefined;
}

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
  watch: BalanceWatch = {},
): Generator<BalanceStep, Balanced> {
  const chosen = { ...balanceDefaults, ...options };
  const board = new ScoreBoard(cluster, view.nodes);
  const initialScore = board.score;
  const limit = optimum(cluster, view.nodes) + chosen.minScore;
  const isActive = (index: number) => !chosen.evacuationMode || isOnOffline(cluster, index);
  let score = initialScore;
  let made = 0;
  const goesOn = (index: number, left: number) => {
    watch.onProgress?.({ steps: made, score, index, left });
    return !watch.signal?.aborted;
  };
  const search = new StepSearch(cluster, board, movableInstances(cluster, view), chosen, goesOn);
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
    if (watch.signal?.aborted) return ended("aborted");
    if (touched.length > 0) {
      board.refresh(touched);
      search.moved(touched);
    }
    const found = search.next(score, isActive);
    if (watch.signal?.aborted) return ended("aborted");
    if (found === undefined) return ended("no gain");
    const { index, move } = found;
    const from = placementOf(cluster, index);
    const instance = cluster.instances[index] as Instance;
    const moved = makeMove(cluster, instance, from, move, chosen.ignoreSoftErrors);
    if (!moved.ok) throw new Error("the best move is not possible");
    const to = moved.placement;
    cluster.settle();
    cluster.relocateEntry(index, to.primary, to.secondary, to.locationScore);
    touched = touchedBy(from, to);
    const scoreBefore = score;
    score = found.score;
    made++;
    yield { index, move, from, to, scoreBefore, score };
  }
}
