/** Which steps of a solution can be carried out at the same time. */
import type { Cluster } from "../model/cluster.js";
import { mirroring } from "../model/disk-template.js";
import type { Instance } from "../model/instance.js";
import type { BalanceStep } from "./balance.js";
import { moveCommands } from "./move-steps.js";

/**
 * Groups neighbouring steps that have no node in common; a group starts when the one before it has
 * ended. Built from the last step on: a step joins the group after it unless they share a node, so
 * of {1,2} {3,4} {1,5} the first stays alone. Source: Ganeti, HTools/Cluster.hs, `splitJobs`.
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

/** Every node that takes part; the old secondary only of drbd instances. */
function nodesOf(cluster: Cluster, { index, from, to }: BalanceStep): readonly number[] {
  const { data } = cluster.instances[index] as Instance;
  const mirrored = mirroring(data.diskTemplate) === "internal";
  const nodes = [to.primary, to.secondary, from.primary, mirrored ? from.secondary : -1];
  return nodes.filter((node) => node >= 0);
}

/**
 * The commands as lines of a shell script that calls `check` before every job.
 * @param nameOf what the commands call an instance
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
