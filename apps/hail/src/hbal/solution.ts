/** Solution found by hbal: the steps with their effects, and the final state. */
import {
  type Balanced,
  type BalanceProgress,
  type BalanceStep,
  balanceInParts,
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

/** Minimum time (ms) between two turns of the event loop, which notices an interrupt. */
const betweenTurnsMs = 50;

/**
 * Balances the group, in place. A SIGINT ends the search: the solution is then the steps found so far, and its outcome
 * `aborted`. A second one ends the program.
 */
export async function solve(
  cluster: Cluster,
  group: ChosenGroup,
  settings: HbalSettings,
  ports: Ports,
  { needsTerms, onStep }: SolveOptions,
): Promise<Solution> {
  const shown = await progress(ports);
  const interrupt = new AbortController();
  const ignoreInterrupts = ports.onSignal("SIGINT", () => {
    ignoreInterrupts();
    interrupt.abort();
  });
  try {
    const options = { ...settings, stepsMax: settings.lengthMax };
    const found = balanceInParts(cluster, group, options, interrupt.signal);
    const steps: ExplainedStep[] = [];
    let terms = needsTerms ? termsOf(cluster, group) : [];
    let turnAt = ports.now() + betweenTurnsMs;
    for (let next = found.next(); ; next = found.next()) {
      if (next.done) {
        shown.clear();
        return { steps, outcome: next.value };
      }
      const part = next.value;
      if (part.kind === "progress") shown.tell(progressText(cluster, part.progress));
      else {
        shown.clear();
        const before = terms;
        terms = needsTerms ? termsOf(cluster, group) : [];
        const explained = { step: part.step, terms: changed(before, terms) };
        steps.push(explained);
        onStep(explained, steps.length);
      }
      if (ports.now() < turnAt) continue;
      await ports.sleep(0);
      turnAt = ports.now() + betweenTurnsMs;
    }
  } finally {
    ignoreInterrupts();
  }
}

function progressText(cluster: Cluster, { steps, score, index, left }: BalanceProgress): string {
  const more = left > 0 ? `, ${left} instances left` : "";
  const name = instanceAlias(cluster, index);
  return `step ${steps + 1}, score ${score.toFixed(8)}: trying ${name}${more}`;
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
