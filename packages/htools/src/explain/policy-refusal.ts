/** Refusals by the policy of a group: the checks of `policyMisfit` with their numbers. */
import type { InstanceSpec, Refusal } from "@ganeti-ts/protocol";
import { groupAt } from "../allocate/group-choice.js";
import {
  failCpu,
  failDisk,
  failDiskCount,
  failMem,
  failSpindles,
  fits,
  type Misfit,
} from "../fit/misfit.js";
import { policyMisfit } from "../fit/policy-check.js";
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import { refusal, type Spot } from "./refusal.js";

export function policyRefusal(
  cluster: Cluster,
  instance: Instance,
  node: number,
): Refusal | undefined {
  const group = groupAt(cluster, cluster.facts.groupOf[node] as number);
  const exclusive = cluster.facts.exclusiveStorage[node] === 1;
  const { policy } = group;
  if (policyMisfit(instance, policy, exclusive) === fits) return undefined;
  const spot: Spot = { cluster, node, role: null };
  const { diskTemplate } = instance.data;
  const sized = policyMisfit(instance, { ...policy, diskTemplates: [diskTemplate] }, exclusive);
  if (sized === fits) {
    return refusal(spot, {
      rule: failDisk,
      check: "template",
      words: `disk template ${diskTemplate} is not in the policy of group ${group.name}`,
    });
  }
  const [first] = policy.minMax;
  const broken =
    first &&
    (brokenBound(instance, first.min, exclusive, "min") ??
      brokenBound(instance, first.max, exclusive, "max"));
  if (broken === undefined) throw new Error("a policy refuses without a reason");
  const { rule, resource, unit, value, limit, which } = broken;
  const of = policy.minMax.length > 1 ? ` (bounds 1 of ${policy.minMax.length})` : "";
  const said = value === undefined ? "unknown" : String(value);
  const most = `${which === "min" ? "at least" : "at most"} ${limit}${unit ? ` ${unit}` : ""}`;
  return refusal(spot, {
    rule,
    check: "policy",
    resource,
    ...(unit === "" ? {} : { unit }),
    ...(value === undefined ? {} : { value }),
    limit,
    words: `${resource} ${said}${unit && value !== undefined ? ` ${unit}` : ""}, policy of group ${group.name} wants ${most}${of}`,
  });
}

interface BrokenBound {
  readonly rule: Misfit;
  readonly resource: string;
  readonly unit: string;
  readonly value: number | undefined;
  readonly limit: number;
  readonly which: "min" | "max";
}

function brokenBound(
  { data, memoryMib, vcpus, spindleUse, spindles }: Instance,
  spec: InstanceSpec,
  exclusive: boolean,
  which: "min" | "max",
): BrokenBound | undefined {
  const breaks = (value: number, bound: number) =>
    which === "min" ? value < bound : value > bound;
  const broken = (rule: Misfit, resource: string, unit: string, value: number, limit: number) =>
    breaks(value, limit) ? { rule, resource, unit, value, limit, which } : undefined;
  const disk = data.disks.find(({ sizeMib }) => breaks(sizeMib, spec.diskMib));
  const memory = broken(failMem, "memory", "MiB", memoryMib, spec.memoryMib);
  if (memory) return memory;
  if (disk) return broken(failDisk, "disk", "MiB", disk.sizeMib, spec.diskMib);
  const cpus = broken(failCpu, "vcpus", "", vcpus, spec.cpuCount);
  if (cpus) return cpus;
  const limit = spec.spindleUse;
  if (exclusive && spindles === undefined) {
    return { rule: failSpindles, resource: "spindles", unit: "", value: undefined, limit, which };
  }
  const use = exclusive
    ? broken(failSpindles, "spindles", "", spindles as number, limit)
    : broken(failSpindles, "spindle use", "", spindleUse, limit);
  if (use) return use;
  if (data.diskTemplate === "diskless") return undefined;
  return broken(failDiskCount, "disks", "", data.disks.length, spec.diskCount);
}
