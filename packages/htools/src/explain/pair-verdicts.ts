/**
 * Refused pairs for display: the number that each node rules out in each role, and the first pairs by name.
 */
import type { CandidateField, Refusal } from "@ganeti-ts/protocol";
import type { Cluster } from "../model/cluster.js";
import type { RuleCounts, Verdicts } from "./candidate-field.js";
import { isRefusal, type PairField } from "./pair-field.js";
import { nodeName } from "./refusal.js";

/** Counts every refused pair once: under its primary if that is refused, otherwise under its secondary. */
export function pairVerdicts(field: PairField, counts: RuleCounts): Verdicts[] {
  const possible = new Set(field.possiblePrimaries);
  const asSecondary = new Map<number, { refusal: Refusal | undefined; candidates: number }>();
  for (const [node, found] of field.secondaries) {
    const refusal = isRefusal(found) ? found : undefined;
    const candidates = refusal ? possible.size - (possible.has(node) ? 1 : 0) : 0;
    asSecondary.set(node, { refusal, candidates });
  }
  for (const known of field.withReserved.values()) {
    for (const [secondary, actual] of known) {
      const usual = asSecondary.get(secondary) as { refusal?: Refusal; candidates: number };
      if (usual.refusal !== undefined) usual.candidates--;
      if (isRefusal(actual)) counts.add(actual.rule, 1);
    }
  }
  for (const { refusal, candidates } of asSecondary.values()) {
    if (refusal) counts.add(refusal.rule, candidates);
  }
  const nodes = [...new Set([...field.primaries.keys(), ...field.secondaries.keys()])];
  return nodes
    .sort((a, b) => a - b)
    .map((node) => {
      const secondary = asSecondary.get(node);
      const first = field.primaries.get(node);
      if (first === undefined) return { node, ...(secondary && { secondary }) };
      const refusal = isRefusal(first) ? first : undefined;
      const candidates = refusal ? field.partners(node) : 0;
      if (refusal) counts.add(refusal.rule, candidates);
      return { node, primary: { refusal, candidates }, ...(secondary && { secondary }) };
    });
}

interface RefusedPair {
  readonly primary: number;
  readonly secondary: number;
  readonly refusal: Refusal;
}

/** The first refused pairs, in index order; those that fail N+1 come first. */
export class PairRefusals {
  private readonly stuck: RefusedPair[] = [];

  constructor(
    private readonly cluster: Cluster,
    private readonly field: PairField,
    private readonly listMax: number,
  ) {}

  /** Returns false when no more are needed. */
  addStuck(primary: number, secondary: number, refusal: () => Refusal): boolean {
    if (this.stuck.length >= this.listMax) return false;
    this.stuck.push({ primary, secondary, refusal: refusal() });
    return true;
  }

  list(): CandidateField["refusals"] {
    const { cluster, stuck } = this;
    const pairs = [...stuck, ...this.others(this.listMax - stuck.length)];
    pairs.sort((a, b) => a.primary - b.primary || a.secondary - b.secondary);
    return pairs.map(({ primary, secondary, refusal }) => ({
      nodes: [nodeName(cluster, primary), nodeName(cluster, secondary)],
      refusal,
    }));
  }

  private others(count: number): RefusedPair[] {
    const { field } = this;
    const others: RefusedPair[] = [];
    if (count <= 0) return others;
    for (const primary of field.primaries.keys()) {
      if (field.feasibleWith(primary) === field.partners(primary) && field.isPossible(primary)) {
        continue;
      }
      for (const secondary of field.secondaries.keys()) {
        if (secondary === primary) continue;
        const found = field.verdict(primary, secondary);
        if (!isRefusal(found)) continue;
        others.push({ primary, secondary, refusal: found });
        if (others.length >= count) return others;
      }
    }
    return others;
  }
}
