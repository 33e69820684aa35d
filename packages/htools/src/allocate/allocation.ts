/** What is asked of a search for a place, and what it finds; shared by one node and pairs. */

import type { MisfitCounts } from "../fit/misfit.js";
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import { naturalSort } from "../model/natural-sort.js";
import type { CapacityCheck } from "../n1/capacity-check.js";
import { formatFixed } from "../text/number-format.js";

export interface Search {
  readonly cluster: Cluster;
  readonly instance: Instance;
  /** What the nodes list it as: its own index, or the one it is going to have. */
  readonly index: number;
  /** Whose score is compared. */
  readonly scored: readonly number[];
  readonly ignoreSoftErrors: boolean;
  /** Absent where capacity is not to be checked. */
  readonly capacity: CapacityCheck | undefined;
}

/** The nodes found; `score` is what candidates were compared by, printed as `scoreText`. */
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
  /** What Ganeti would say of it; of a missing place: why. */
  readonly texts: readonly string[];
}

/** As Ganeti describes it. */
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

/** Lowest score first, equal ones last come first; Ganeti's own order also where scores are no numbers. */
export function bestFirst<T extends { readonly score: number }>(inIndexOrder: readonly T[]): T[] {
  const newestFirst = [...inIndexOrder].reverse();
  if (newestFirst.every(({ score }) => !Number.isNaN(score))) {
    return newestFirst.sort((a, b) => (a.score === b.score ? 0 : a.score - b.score));
  }
  return naturalSort(newestFirst, (a, b) => !(a.score < b.score || a.score === b.score));
}
