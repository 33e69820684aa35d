/** HTML page of hbal: the nodes before and after, the score along the steps, and the effect of each step. */
import { type Cluster, formatFixed, instanceAlias, moveText, nodeAlias } from "@ganeti-ts/htools";
import { type NodeState, nodeStates } from "../page/node-states.js";
import type { Page } from "../page/page.js";
import type { Reported } from "./report.js";

/** @param before the states of the nodes before balancing */
export function hbalPage(
  cluster: Cluster,
  { group, score, optimum, solution }: Reported,
  before: readonly NodeState[],
): Page {
  const steps = solution?.steps ?? [];
  const finalScore = solution?.outcome.finalScore ?? score;
  const place = ({ primary, secondary }: { primary: number; secondary: number }) =>
    [primary, secondary]
      .filter((node) => node >= 0)
      .map((node) => nodeAlias(cluster, node))
      .join(":");
  const what = steps.map(
    ({ step }) => `${instanceAlias(cluster, step.index)} ${moveText(cluster, step)}`,
  );
  return {
    title: `Balancing group ${group.name}`,
    facts: [
      ["nodes", String(group.nodes.length)],
      ["instances", String(group.instances.length)],
      ["score before", formatFixed(score, 8)],
      ["score after", formatFixed(finalScore, 8)],
      ["least score there can be", formatFixed(optimum, 8)],
      ["steps", String(steps.length)],
    ],
    sections: [
      {
        kind: "nodes",
        title: "Nodes",
        states: [
          { name: "before", nodes: before },
          { name: "after", nodes: nodeStates(cluster, group.nodes) },
        ],
      },
      {
        kind: "line",
        title: "Score along the steps",
        value: "score",
        step: "step",
        points: [
          { value: score, what: "as it is" },
          ...steps.map(({ step }, at) => ({ value: step.score, what: what[at] ?? "" })),
        ],
      },
      {
        kind: "table",
        title: "Steps",
        columns: ["step", "instance", "from", "to", "action", "score"].map((header) => ({
          header,
          numeric: header === "step" || header === "score",
        })),
        rows: steps.map(({ step }, at) => [
          String(at + 1),
          instanceAlias(cluster, step.index),
          place(step.from),
          place(step.to),
          moveText(cluster, step),
          formatFixed(step.score, 8),
        ]),
      },
    ],
  };
}
