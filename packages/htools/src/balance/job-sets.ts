/** Job sets: steps of a solution that can run at the same time. */
import { isMirrored } from "@ganeti-ts/protocol";
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import type { BalanceStep } from "./balance.js";
import { moveCommands } from "./move-steps.js";

/**
 * Groups consecutive steps without a common node; a group starts when the previous one has ended. Built from
 * the last step backwards: a step joins the group after it unless they share a node, so of {1,2} {3,4} {1,5}
 * the first stays alone. Source: Ganeti, HTools/Cluster.hs, `splitJobs`.
 */
export function jobSets(
  cluster: Cluster,
  steps: readonly BalanceStep[],
): readonly (readonly BalanceStep[])[] {
  const sets: BalanceStep[][] = [];
  let busy = new Set<number>();
  for (const step of steps.toReversed()) {
    const nodes = nodesOf(cluster, step);
    const current = sets.at(-1);
    if (current === undefined || nodes.some((node) => busy.has(node))) {
      sets.push([step]);
      busy = new Set(nodes);
    } else {
      current.push(step);
      for (const node of nodes) busy.add(node);
    }
  }
  return sets.map((set) => set.reverse()).reverse();
}

/** Every node that a step involves; the old secondary only for drbd instances. */
function nodesOf(cluster: Cluster, { index, from, to }: BalanceStep): readonly number[] {
  const { data } = cluster.instances[index] as Instance;
  const mirrored = isMirrored(data.diskTemplate);
  const nodes = [to.primary, to.secondary, from.primary, mirrored ? from.secondary : -1];
  return nodes.filter((node) => node >= 0);
}

/**
 * The commands as lines of a shell script that calls `check` before every job.
 * @param nameOf name of an instance in the commands
 */
export function jobSetLines(
  cluster: Cluster,
  sets: readonly (readonly BalanceStep[])[],
  nameOf: (index: number) => string,
): readonly string[] {
  return sets.flatMap((set, k) => [
    "",
    `echo jobset ${k + 1}, ${set.length} jobs`,
    ...set.flatMap((step, i) => [
      `  echo job ${k + 1}/${i + 1}`,
      "  check",
      ...moveCommands(cluster, step, nameOf(step.index)).map((command) => `  ${command}`),
    ]),
  ]);
}
