/** Explanation of balancing: for each move the terms of the score that it changes. */
import type { AllocatorRequest } from "@ganeti-ts/protocol";
import type { RequestOptions } from "../allocate/request-options.js";
import { balanceAsAsked } from "../balance/answer-balance.js";
import type { BalanceStep } from "../balance/balance.js";
import { moveText } from "../balance/move-steps.js";
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import { finished } from "../parts.js";
import { metricsOf } from "../score/score-board.js";
import { formatFixed } from "../text/number-format.js";
import { placeNames } from "./explain-choice.js";
import { instanceNeeds } from "./instance-needs.js";
import type { Explained } from "./suggest.js";

/** One entry for each move, in order. Changes the cluster. */
export function explainBalance(
  cluster: Cluster,
  request: Extract<AllocatorRequest, { type: "balance" }>,
  options: RequestOptions,
): Explained[] {
  const explained: Explained[] = [];
  let before: readonly Term[] = [];
  const found = balanceAsAsked(cluster, request, options, (nodes, step) => {
    const after = termsOf(cluster, nodes);
    if (step !== undefined) explained.push(explainStep(cluster, step, before, after));
    before = after;
  });
  finished(found);
  return explained;
}

interface Term {
  readonly name: string;
  readonly value: number;
}

const termsOf = (cluster: Cluster, nodes: readonly number[]): readonly Term[] =>
  metricsOf(cluster, nodes).map(({ component, value }) => ({
    name: component.name,
    value: component.weight * value,
  }));

function explainStep(
  cluster: Cluster,
  step: BalanceStep,
  before: readonly Term[],
  after: readonly Term[],
): Explained {
  const instance = cluster.instances[step.index] as Instance;
  const nodeName = (node: number) => cluster.data.nodes[node]?.name as string;
  const changes = after
    .map(({ name, value }, at) => ({ name, change: value - (before[at]?.value ?? 0) }))
    .filter(({ change }) => Math.abs(change) >= 5e-9)
    .sort((a, b) => a.change - b.change)
    .map(({ name, change }) => `${name} ${change > 0 ? "+" : ""}${formatFixed(change, 8)}`);
  const scores = `score ${formatFixed(step.scoreBefore, 8)} -> ${formatFixed(step.score, 8)}`;
  return {
    instance: instance.data.name,
    needs: instanceNeeds(instance),
    from: placeNames(cluster, step.from),
    to: placeNames(cluster, step.to),
    reason: `${moveText(cluster, step, nodeName)}: ${scores}: ${changes.join(", ")}`,
    groups: [],
    choice: null,
  };
}
