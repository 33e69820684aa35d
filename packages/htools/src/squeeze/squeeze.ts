/**
 * Plan for switching off nodes of a cluster of instances with external disks while every node keeps a
 * reserve, or for bringing nodes back. Source: Ganeti, HTools/Program/Hsqueeze.hs.
 */
import type { CancelSignal } from "@ganeti-ts/protocol";
import type { BalanceStep } from "../balance/balance.js";
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import { offlineCandidates, onlineCandidates } from "./candidates.js";
import { everyNodeFits, reserveInstance } from "./reserve.js";
import { type Trial, tryNodes, trySafely } from "./trial.js";

/** Options of `squeeze`. */
interface SqueezeOptions {
  /** Number of standard instances that every node must have room for; otherwise nodes are brought back. */
  readonly minimalResources: number;
  /** Number of standard instances that every node must have room for after nodes went offline. */
  readonly targetResources: number;
}

/** Nodes that can be switched off or must come back, with the moves for that. */
export interface SqueezePlan {
  /** `expand`: first these nodes come back, then the steps are made. `shrink`: the other way round. */
  readonly action: "expand" | "shrink" | "none";
  /** In the order of the candidates. An expansion may need no nodes, only steps. */
  readonly nodes: readonly number[];
  /** False if not even all candidates suffice; then all of them come back. */
  readonly enough: boolean;
  readonly steps: readonly BalanceStep[];
  readonly after: Cluster;
}

/** Progress: the candidates being tried, and the number of balancing steps made. */
export interface SqueezeProgress {
  readonly trial: number;
  readonly trialsMax: number;
  readonly steps: number;
}

/** Callbacks of `squeeze`, for progress and for stopping it. */
interface SqueezeWatch {
  readonly onProgress?: ((progress: SqueezeProgress) => void) | undefined;
  /** Once it is aborted the search ends with its reason as the error. */
  readonly signal?: CancelSignal | undefined;
}

/**
 * Leaves the given cluster unchanged. Nodes go offline greedily, those with the fewest primaries first; they
 * come back in index order, as few as suffice.
 *
 * Cost: one balancing of the cluster per candidate that `hopeless` does not exclude. Each starts from the
 * beginning, because with one node less every step may differ: for n nodes with i instances each, O(n) trials
 * make O(i n) steps, at O(i n) each; much less if many instances have equal needs.
 */
export function squeeze(
  cluster: Cluster,
  { minimalResources, targetResources }: SqueezeOptions,
  watch: SqueezeWatch = {},
): SqueezePlan {
  const minimal = reserveInstance(cluster, minimalResources);
  if (!everyNodeFits(cluster, minimal)) return expand(cluster, minimal, watch);
  return shrink(cluster, reserveInstance(cluster, targetResources), watch);
}

function expand(cluster: Cluster, reserve: Instance, watch: SqueezeWatch): SqueezePlan {
  const candidates = onlineCandidates(cluster);
  for (let count = 0; count <= candidates.length; count++) {
    const nodes = candidates.slice(0, count);
    const trialWatch = watchOf(watch, count + 1, candidates.length + 1);
    const trial = trySafely(cluster, nodes, false, reserve, trialWatch);
    if (trial) return { action: "expand", nodes, enough: true, ...trial };
  }
  const trialWatch = watchOf(watch, candidates.length + 1, candidates.length + 1);
  const trial = tryNodes(cluster, candidates, false, trialWatch);
  return { action: "expand", nodes: candidates, enough: false, ...trial };
}

function shrink(cluster: Cluster, reserve: Instance, watch: SqueezeWatch): SqueezePlan {
  const candidates = offlineCandidates(cluster);
  let nodes: readonly number[] = [];
  let trial: Trial | undefined;
  for (const [at, node] of candidates.toReversed().entries()) {
    const trialWatch = watchOf(watch, at + 1, candidates.length);
    const next = trySafely(cluster, [node, ...nodes], true, reserve, trialWatch);
    if (next === undefined) continue;
    nodes = [node, ...nodes];
    trial = next;
  }
  if (trial === undefined)
    return { action: "none", nodes, enough: true, steps: [], after: cluster };
  return { action: "shrink", nodes, enough: true, ...trial };
}

const watchOf = ({ onProgress, signal }: SqueezeWatch, trial: number, trialsMax: number) => ({
  onProgress: onProgress && ((steps: number) => onProgress({ trial, trialsMax, steps })),
  signal,
});
