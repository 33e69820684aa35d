/** Solution found by hbal: the steps with their effects, and the final state. */
import {
  type Balanced,
  type BalanceStep,
  balance,
  type Cluster,
  instanceAlias,
  metricsOf,
} from "@ganeti-ts/htools";
import type { Ports } from "../ports.js";
import { progress } from "../progress.js";
import type { ChosenGroup } from "./chosen-group.js";
import type { HbalSettings } from "./settings.js";

/** A term of the score, weighted, before and after a step that changes it. */
export interface TermChange {
  readonly name: string;
  readonly before: number;
  readonly after: number;
}

export interface ExplainedStep {
  readonly step: BalanceStep;
  /** Improved terms first, the largest change first; empty unless requested. */
  readonly terms: readonly TermChange[];
}

export interface Solution {
  readonly steps: readonly ExplainedStep[];
  readonly outcome: Balanced;
}

interface SolveOptions {
  /** Whether to compute the score terms that each step changes. */
  readonly needsTerms: boolean;
  /** Called for each step as soon as it is found. */
  readonly onStep: (step: ExplainedStep, position: number) => void;
}

/** Balances the group, in place. */
export async function solve(
  cluster: Cluster,
  group: ChosenGroup,
  settings: HbalSettings,
  ports: Ports,
  { needsTerms, onStep }: SolveOptions,
): Promise<Solution> {
  const shown = await progress(ports);
  const options = { ...settings, stepsMax: settings.lengthMax };
  const found = balance(cluster, group, options, {
    onProgress: ({ steps, score, index, left }) => {
      const more = left > 0 ? `, ${left} instances left` : "";
      const name = instanceAlias(cluster, index);
      shown.tell(`step ${steps + 1}, score ${score.toFixed(8)}: trying ${name}${more}`);
    },
  });
  const steps: ExplainedStep[] = [];
  let terms = needsTerms ? termsOf(cluster, group) : [];
  for (;;) {
    const next = found.next();
    shown.clear();
    if (next.done) return { steps, outcome: next.value };
    const before = terms;
    terms = needsTerms ? termsOf(cluster, group) : [];
    const explained = { step: next.value, terms: changed(before, terms) };
    steps.push(explained);
    onStep(explained, steps.length);
  }
}

interface Term {
  readonly name: string;
  readonly value: number;
}

const termsOf = (cluster: Cluster, { nodes }: ChosenGroup): readonly Term[] =>
  metricsOf(cluster, nodes).map(({ component, value }) => ({
    name: component.name,
    value: component.weight * value,
  }));

/** Smallest change shown: below it, the eight decimals of a score do not differ. */
const leastShown = 5e-9;

function changed(before: readonly Term[], after: readonly Term[]): readonly TermChange[] {
  return after
    .map(({ name, value }, at) => ({ name, before: before[at]?.value ?? 0, after: value }))
    .filter((term) => Math.abs(term.after - term.before) >= leastShown)
    .sort((a, b) => a.after - a.before - (b.after - b.before));
}
