/** Order of candidate nodes by exact score, which is computed only for those whose estimates are near each other. */
import { bestFirst } from "./allocation.js";

/** Scores of candidate nodes. */
export interface CandidateScores {
  estimate(node: number): number;
  exact(node: number): number;
  /** Highest estimate of a node whose exact score may be as low as this score or estimate. */
  limit(score: number): number;
}

/**
 * Lowest score first, among equals the last. Without near ones, the first node costs O(candidates), and the rest a sort.
 * @param candidates in index order
 */
export function* inExactOrder(
  candidates: readonly number[],
  scores: CandidateScores,
): Generator<number> {
  const scored = (node: number) => ({ node, score: scores.exact(node) });
  if (candidates.some((node) => !Number.isFinite(scores.estimate(node)))) {
    for (const { node } of bestFirst(candidates.map(scored))) yield node;
    return;
  }
  const waiting = new Waiting(candidates, scores);
  let ranked: ReturnType<typeof scored>[] = [];
  for (;;) {
    const horizon = ranked[0]?.score ?? waiting.least;
    if (horizon === undefined) return;
    const near = waiting.upTo(scores.limit(horizon));
    const [first] = near;
    if (first === undefined) yield (ranked.shift() as (typeof ranked)[number]).node;
    else if (near.length === 1 && ranked.length === 0) yield first;
    else {
      ranked = [...ranked, ...near.map(scored)].sort(
        (a, b) => a.score - b.score || b.node - a.node,
      );
    }
  }
}

/** Nodes by estimate; sorted only if more than the nearest are taken. */
class Waiting {
  private sorted: readonly number[] | undefined;
  private next = 0;
  private taken = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly nodes: readonly number[],
    private readonly scores: CandidateScores,
  ) {}

  /** The lowest estimate; undefined if no node is left. */
  get least(): number | undefined {
    if (this.taken > Number.NEGATIVE_INFINITY) {
      const first = this.inOrder()[this.next];
      return first === undefined ? undefined : this.scores.estimate(first);
    }
    let least: number | undefined;
    for (const node of this.nodes) {
      const estimate = this.scores.estimate(node);
      if (least === undefined || estimate < least) least = estimate;
    }
    return least;
  }

  /** Takes the nodes whose estimates are not above this limit. */
  upTo(limit: number): readonly number[] {
    if (this.taken === Number.NEGATIVE_INFINITY) {
      this.taken = limit;
      return this.nodes.filter((node) => this.scores.estimate(node) <= limit);
    }
    // As long as what was taken first goes on, nothing needs to be sorted.
    if (limit <= this.taken) return [];
    const sorted = this.inOrder();
    const from = this.next;
    while (
      this.next < sorted.length &&
      this.scores.estimate(sorted[this.next] as number) <= limit
    ) {
      this.next++;
    }
    return sorted.slice(from, this.next);
  }

  private inOrder(): readonly number[] {
    const { scores, taken } = this;
    this.sorted ??= this.nodes
      .filter((node) => scores.estimate(node) > taken)
      .sort((a, b) => scores.estimate(a) - scores.estimate(b));
    return this.sorted;
  }
}
