/** Check of an instance's size and disk template against the policy of a group. */
import type { InstancePolicy, InstanceSpec } from "@ganeti-ts/protocol";
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import {
  failCpu,
  failDisk,
  failDiskCount,
  failMem,
  failSpindles,
  fits,
  type Misfit,
} from "./misfit.js";

/**
 * The size must fit one of the policy's bounds; otherwise the misfit with the first bounds is returned. With
 * exclusive storage the spindles of the disks are compared instead of the spindle use.
 */
export function policyMisfit(
  instance: Instance,
  policy: InstancePolicy,
  exclusiveStorage: boolean,
): Misfit {
  let first: Misfit = fits;
  let accepted = policy.minMax.length === 0;
  for (const { min, max } of policy.minMax) {
    const misfit = boundsMisfit(instance, min, max, exclusiveStorage);
    accepted = misfit === fits;
    if (accepted) break;
    if (first === fits) first = misfit;
  }
  if (!accepted) return first;
  return policy.diskTemplates.includes(instance.data.diskTemplate) ? fits : failDisk;
}

function boundsMisfit(
  instance: Instance,
  min: InstanceSpec,
  max: InstanceSpec,
  exclusiveStorage: boolean,
): Misfit {
  const below = specMisfit(instance, min, exclusiveStorage, (value, bound) => value < bound);
  if (below !== fits) return below;
  return specMisfit(instance, max, exclusiveStorage, (value, bound) => value > bound);
}

function specMisfit(
  { data, memoryMib, vcpus, spindleUse, spindles }: Instance,
  spec: InstanceSpec,
  exclusiveStorage: boolean,
  breaks: (value: number, bound: number) => boolean,
): Misfit {
  if (breaks(memoryMib, spec.memoryMib)) return failMem;
  if (data.disks.some(({ sizeMib }) => breaks(sizeMib, spec.diskMib))) return failDisk;
  if (breaks(vcpus, spec.cpuCount)) return failCpu;
  const use = exclusiveStorage ? spindles : spindleUse;
  if (use === undefined || breaks(use, spec.spindleUse)) return failSpindles;
  if (data.diskTemplate !== "diskless" && breaks(data.disks.length, spec.diskCount)) {
    return failDiskCount;
  }
  return fits;
}

/**
 * Verdict of the policy of a node's group; equal for all nodes of the group with the same kind of storage.
 */
export function policyVerdict(cluster: Cluster, instance: Instance, node: number): Misfit {
  const { data, facts } = cluster;
  const group = data.groups[facts.groupOf[node] as number] as (typeof data.groups)[number];
  return policyMisfit(instance, group.policy, facts.exclusiveStorage[node] === 1);
}
