/**
 * Trial of switching nodes off or on: instances are moved, and every node must then have enough room. Source:
 * Ganeti, HTools/Program/Hsqueeze.hs.
 */
import type { CancelSignal } from "@ganeti-ts/protocol";
import { type BalanceStep, balance } from "../balance/balance.js";
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import { hopeless } from "./hopeless.js";
import { everyNodeFits } from "./reserve.js";

export interface Trial {
  readonly steps: readonly BalanceStep[];
  readonly after: Cluster;
}

export interface TrialWatch {
  /** Called before each step with the number of steps made. */
  readonly onProgress?: ((steps: number) => void) | undefined;
  /** Once it is aborted the trial ends with its reason as the error. */
  readonly signal?: CancelSignal | undefined;
}

/** Every step that improves the score, however little; without the limits of hbal. */
const toTheEnd = { minGain: 0, minGainLimit: 0, minScore: Number.NEGATIVE_INFINITY };

/** Balances a copy of the cluster with these nodes offline or online. */
export function tryNodes(
  cluster: Cluster,
  nodes: readonly number[],
  offline: boolean,
  watch: TrialWatch,
): Trial {
  const after = withNodes(cluster, nodes, offline);
  const { onProgress, signal } = watch;
  const balancing = balance(after, wholeOf(after), toTheEnd, {
    onProgress: onProgress && (({ steps: made }) => onProgress(made)),
    signal,
  });
  const steps: BalanceStep[] = [];
  onProgress?.(0);
  for (const step of balancing) {
    steps.push(step);
    onProgress?.(steps.length);
  }
  if (signal?.aborted) throw signal.reason;
  return { steps, after };
}

/** The trial, if every primary ends on an online node and every node has room for `reserve`. */
export function trySafely(
  cluster: Cluster,
  nodes: readonly number[],
  offline: boolean,
  reserve: Instance,
  watch: TrialWatch,
): Trial | undefined {
  if (hopeless(withNodes(cluster, nodes, offline), reserve)) return undefined;
  const trial = tryNodes(cluster, nodes, offline, watch);
  const { primaryOf, facts } = trial.after;
  if (primaryOf.some((node) => facts.offline[node] === 1)) return undefined;
  return everyNodeFits(trial.after, reserve) ? trial : undefined;
}

function withNodes(cluster: Cluster, nodes: readonly number[], isOffline: boolean): Cluster {
  const offline = cluster.facts.offline.slice();
  for (const node of nodes) offline[node] = Number(isOffline);
  return cluster.copy({ ...cluster.facts, offline });
}

const wholeOf = (cluster: Cluster) => ({
  nodes: [...cluster.data.nodes.keys()],
  instances: [...cluster.instances.keys()],
});
