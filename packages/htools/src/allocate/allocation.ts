/** Input and result of a search for nodes, shared by searches for one node and for pairs. */

import type { MisfitCounts } from "../fit/misfit.js";
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import { naturalSort } from "../model/natural-sort.js";
import type { CapacityCheck } from "../n1/capacity-check.js";
import type { KeptScores } from "../score/kept-scores.js";
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
  /** Score columns of the cluster as it is; undefined: every candidate is tried. */
  readonly scores: KeptScores | undefined;
}

/** The chosen nodes; `score` is the figure that candidates were compared by, printed as `scoreText`. */
export interface Place<Score = number> {
  readonly primary: number;
  /** -1 for none. */
  readonly secondary: number;
  readonly locationScore: number;
  readonly score: Score;
  /** Bounds of the score, if it is computed when it is first read. */
  readonly within?: readonly [least: Score, most: Score];
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
  const score = textOfScore(place, scoreText);
  const counts = `successes ${successes}, failures ${failures.total} (${failures})`;
  return `score: ${score}, ${counts} for node(s) ${placeNames(cluster, place).join("/")}`;
}

/** The exact score is computed only if its bounds give different texts. */
function textOfScore<Score>(place: Place<Score>, scoreText: (score: Score) => string): string {
  const [least, most] = place.within?.map(scoreText) ?? [];
  return least !== undefined && least === most ? least : scoreText(place.score);
}

/** Compares scores, which are computed only if their bounds overlap. */
export function comparePlaces<Score>(
  a: Place<Score>,
  b: Place<Score>,
  compare: (a: Score, b: Score) => number,
): number {
  const [ofA, ofB] = [boundsOf(a), boundsOf(b)];
  if (compare(ofA[1], ofB[0]) < 0) return -1;
  if (compare(ofA[0], ofB[1]) > 0) return 1;
  return compare(a.score, b.score);
}

const boundsOf = <Score>(place: Place<Score>): readonly [Score, Score] =>
  place.within ?? [place.score, place.score];

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
