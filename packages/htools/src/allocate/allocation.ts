/** Input and result of a search for nodes, shared by searches for one node and for pairs. */

import type { MisfitCounts } from "../fit/misfit.js";
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import { naturalSort } from "../model/natural-sort.js";
import type { CapacityCheck } from "../n1/capacity-check.js";
import { formatFixed } from "../text/number-format.js";

export interface Search {
  readonly cluster: Cluster;
  readonly instance: Instance;
  /** Index under which nodes list it: its own, or the one it will get. */
  readonly index: number;
  /** Nodes whose score is compared. */
  readonly scored: readonly number[];
  readonly ignoreSoftErrors: boolean;
  /** Undefined if capacity is not to be checked. */
  readonly capacity: CapacityCheck | undefined;
}

/** The chosen nodes; `score` is the figure that candidates were compared by, printed as `scoreText`. */
export interface Place<Score = number> {
  readonly primary: number;
  /** -1 for none. */
  readonly secondary: number;
  readonly locationScore: number;
  readonly score: Score;
}

export interface Solution<Score = number> {
  /** Infeasible candidates, and feasible ones passed over because the cluster would lose N+1. */
  readonly failures: MisfitCounts;
  /** Feasible candidates not passed over. */
  readonly successes: number;
  readonly place: Place<Score> | undefined;
}

export interface Allocated<Score = number> {
  readonly group: number;
  readonly place: Place<Score> | undefined;
  /** Ganeti's description of the result; without a place, the reason. */
  readonly texts: readonly string[];
}

/** Description of a solution in Ganeti's words. */
export function solutionText<Score>(
  cluster: Cluster,
  { failures, successes, place }: Solution<Score>,
  scoreText: (score: Score) => string,
): string {
  if (place === undefined) {
    const reasons = failures.total === 0 ? "unknown reasons" : String(failures);
    return `No valid allocation solutions, failure reasons: ${reasons}`;
  }
  const score = scoreText(place.score);
  const counts = `successes ${successes}, failures ${failures.total} (${failures})`;
  return `score: ${score}, ${counts} for node(s) ${placeNames(cluster, place).join("/")}`;
}

export const scoreText = (score: number): string => formatFixed(score, 8);

export function placeNames(
  { data }: Cluster,
  { primary, secondary }: { readonly primary: number; readonly secondary: number },
): string[] {
  const nodes = secondary < 0 ? [primary] : [primary, secondary];
  return nodes.map((node) => (data.nodes[node] as (typeof data.nodes)[number]).name);
}

/** Lowest score first, among equals the last first; with NaN scores also in Ganeti's order. */
export function bestFirst<T extends { readonly score: number }>(inIndexOrder: readonly T[]): T[] {
  const newestFirst = [...inIndexOrder].reverse();
  if (newestFirst.every(({ score }) => !Number.isNaN(score))) {
    return newestFirst.sort((a, b) => (a.score === b.score ? 0 : a.score - b.score));
  }
  return naturalSort(newestFirst, (a, b) => !(a.score < b.score || a.score === b.score));
}
