/** Document printed by `hbal --json`. */
import { type BalanceStep, type Cluster, moveCommands, moveText } from "@ganeti-ts/htools";
import type { HbalReport } from "@ganeti-ts/protocol";
import type { ChosenGroup } from "./chosen-group.js";
import type { Solution } from "./solution.js";

export interface Reported {
  readonly group: ChosenGroup;
  readonly score: number;
  readonly optimum: number;
  /** Undefined if the group was well balanced to begin with. */
  readonly solution: Solution | undefined;
  readonly sets: readonly (readonly BalanceStep[])[];
}

/** @param reported undefined for a cluster without instances */
export function hbalReport(cluster: Cluster, reported: Reported | undefined): HbalReport {
  const { nodes, instances } = cluster.data;
  const counts = { nodes: nodes.length, instances: instances.length };
  if (reported === undefined) return { ...counts, group: null };
  const { group, score, optimum, solution, sets } = reported;
  const { bad, policies } = group;
  const nodeName = (node: number) => nodes[node]?.name ?? "";
  const instanceName = (index: number) => instances[index]?.name ?? "";
  const places = ({ primary, secondary }: BalanceStep["from"]) =>
    [primary, secondary].filter((node) => node >= 0).map(nodeName);
  const steps = solution?.steps ?? [];
  const positions = new Map(steps.map(({ step }, position) => [step, position]));
  return {
    ...counts,
    group: {
      name: group.name,
      uuid: group.uuid,
      nodes: group.nodes.length,
      instances: group.instances.length,
      failingN1: bad.nodes.map(nodeName),
      instancesOnFailing: bad.instances.map(instanceName),
      violatingPolicy: policies.flatMap(({ node, violation }) =>
        violation === undefined ? [] : [{ node, violation }],
      ),
      initialScore: score,
      optimum,
      finalScore: solution?.outcome.finalScore ?? score,
      ended: solution?.outcome.ended ?? "optimum",
      steps: steps.map(({ step, terms }) => ({
        instance: instanceName(step.index),
        action: moveText(cluster, step),
        from: places(step.from),
        to: places(step.to),
        score: step.score,
        terms: terms.map((term) => ({ ...term })),
        commands: [...moveCommands(cluster, step, instanceName(step.index))],
      })),
      jobSets: sets.map((set) => set.map((step) => positions.get(step) as number)),
    },
  };
}
