/** The candidate field of a group as the explanation shows it: all candidates counted, the first of each kind listed. */
import type { Candidate, CandidateField, Refusal, Score } from "@ganeti-ts/protocol";
import type { Cluster } from "../model/cluster.js";
import { nodeName } from "./refusal.js";

export interface Verdicts {
  readonly node: number;
  readonly primary?: { readonly refusal: Refusal | undefined; readonly candidates: number };
  readonly secondary?: { readonly refusal: Refusal | undefined; readonly candidates: number };
}

/** Refusals by rule. */
export class RuleCounts {
  private readonly counts = new Map<Refusal["rule"], number>();

  add(rule: Refusal["rule"], times: number): void {
    if (times !== 0) this.counts.set(rule, (this.counts.get(rule) ?? 0) + times);
  }

  get total(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  toObject(): CandidateField["refusedBy"] {
    return Object.fromEntries([...this.counts].filter(([, count]) => count > 0));
  }
}

export interface FieldParts {
  readonly cluster: Cluster;
  readonly scoreBefore: Score | undefined;
  readonly feasible: number;
  readonly counts: RuleCounts;
  readonly verdicts: readonly Verdicts[];
  readonly candidates: readonly Candidate[];
  readonly refusals: CandidateField["refusals"];
}

export function makeField(parts: FieldParts): CandidateField {
  const { cluster, scoreBefore, feasible, counts, verdicts, candidates, refusals } = parts;
  const refused = counts.total;
  const shown = (verdict: Verdicts["primary"]) =>
    verdict && { refusal: verdict.refusal ?? null, candidates: verdict.candidates };
  return {
    ...(scoreBefore === undefined ? {} : { scoreBefore }),
    feasible,
    refused,
    refusedBy: counts.toObject(),
    nodes: verdicts.map(({ node, primary, secondary }) => ({
      node: nodeName(cluster, node),
      ...(primary === undefined ? {} : { primary: shown(primary) }),
      ...(secondary === undefined ? {} : { secondary: shown(secondary) }),
    })) as CandidateField["nodes"],
    candidates: [...candidates],
    refusals,
    omitted: { feasible: feasible - candidates.length, refused: refused - refusals.length },
  };
}
