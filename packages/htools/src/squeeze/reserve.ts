/** Reserve on every node: the resources of an instance that it must be able to take at any time. */

import { primaryMisfit } from "../fit/fitting.js";
import { fits } from "../fit/misfit.js";
import type { Cluster } from "../model/cluster.js";
import { defaultPolicy } from "../model/default-policy.js";
import { type Instance, makeInstance } from "../model/instance.js";
import { unplacedInstance } from "../model/unplaced-instance.js";

/**
 * An instance without disks, `factor` times the standard size of the cluster's policy, rounded down. Source:
 * Ganeti, HTools/Program/Hsqueeze.hs, `instanceFromSpecAndFactor`.
 */
export function reserveInstance(cluster: Cluster, factor: number): Instance {
  const { std } = cluster.data.policy ?? defaultPolicy;
  return makeInstance(
    unplacedInstance(
      {
        memoryMib: times(factor, std.memoryMib),
        diskMib: 0,
        vcpus: times(factor, std.cpuCount),
        spindleUse: times(factor, std.spindleUse),
        diskTemplate: "ext",
      },
      { name: "reserve" },
    ),
    -1,
    cluster.tagRules,
  );
}

/** NaN and overflows become more than any node has, as in Ganeti. */
function times(factor: number, amount: number): number {
  const product = Math.floor(factor * amount);
  return Math.abs(product) < 2 ** 63 ? product : Number.POSITIVE_INFINITY;
}

/** Whether every node, including offline ones, could take the instance without breaking a limit. */
export function everyNodeFits(cluster: Cluster, reserve: Instance): boolean {
  for (let node = 0; node < cluster.nodeCount; node++) {
    if (primaryMisfit(cluster, reserve, node, false) !== fits) return false;
  }
  return true;
}
