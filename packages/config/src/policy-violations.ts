/** Whether an instance is what its group accepts. Sizes in MiB. */
import type { ClusterPolicy, GroupObject, InstanceObject, PolicySpec } from "@ganeti-ts/protocol";
import { filledBeparams, filledNdparams, groupPolicy } from "./filling.js";
import { type Snapshot, secondaryNodes } from "./snapshot.js";

/** What of an instance a policy looks at; what is undefined is not looked at. */
export interface PolicyFigures {
  readonly memoryMaxMib?: number | undefined;
  readonly vcpus?: number | undefined;
  readonly nicCount?: number | undefined;
  readonly spindleUse?: number | undefined;
  /** One for each disk; undefined where it is not known yet. */
  readonly diskSizesMib: readonly (number | undefined)[];
  readonly diskTypes: readonly (string | undefined)[];
  /** That there are no disks is not yet said, so `diskless` is not looked at. */
  readonly disksUnsaid?: boolean;
}

/**
 * Ganeti's texts, one for each violation; those of sizes are of the interval with the fewest (the
 * first of several).
 */
export function specViolations(policy: ClusterPolicy, figures: PolicyFigures): readonly string[] {
  const { diskSizesMib, diskTypes, disksUnsaid = false } = figures;
  const checks: (readonly [keyof PolicySpec, string, number | undefined])[] = [
    ["memory-size", "", figures.memoryMaxMib],
    ["cpu-count", "", figures.vcpus],
    ["nic-count", "", figures.nicCount],
    ["spindle-use", "", figures.spindleUse],
    ...diskSizesMib.map((size, at) => ["disk-size", `/${at}`, size] as const),
  ];
  const allowed = policy["disk-templates"];
  const violations: string[] = [];
  if (diskSizesMib.length > 0) checks.push(["disk-count", "", diskSizesMib.length]);
  else if (!disksUnsaid && !allowed.includes("diskless")) {
    violations.push(
      `Disk template diskless is not allowed (allowed templates ${allowed.join(", ")})`,
    );
  }
  const forbidden = new Set(
    diskTypes.filter((type) => type !== undefined && !allowed.includes(type)),
  );
  if (forbidden.size > 0) {
    const names = [...forbidden].join(", ");
    violations.push(
      `Disk template ${names} is not allowed (allowed templates: ${allowed.join(", ")})`,
    );
  }
  let fewest: readonly string[] | undefined;
  for (const { min, max } of policy.minmax) {
    const found = checks.flatMap(([key, qualifier, value]) => {
      if (value === undefined || (value >= min[key] && value <= max[key])) return [];
      return `${key}${qualifier} value ${value} is not in range [${min[key]}, ${max[key]}]`;
    });
    if (fewest === undefined || found.length < fewest.length) fewest = found;
  }
  return [...violations, ...(fewest ?? [])];
}

/**
 * What the instance, as it is in the configuration, violates of a group's policy. Of one that is to
 * come only what it says itself is looked at. O(disks).
 */
export function policyViolations(
  now: Snapshot,
  instance: InstanceObject,
  group: GroupObject,
): readonly string[] {
  const disks = now.disksOf(instance);
  const filled = filledBeparams(now, instance);
  const isSaid = (key: keyof typeof filled) =>
    !instance.forthcoming || instance.beparams?.[key] !== undefined;
  const nodes = [instance.primary_node, ...secondaryNodes(now, instance)];
  const isExclusive = nodes.some((uuid) => {
    const node = uuid === undefined ? undefined : now.node(uuid);
    return node !== undefined && filledNdparams(now, node).exclusive_storage;
  });
  const spindles = disks.map((disk) => disk.spindles);
  const violations: string[] = [];
  if (isExclusive && !instance.forthcoming && spindles.includes(undefined)) {
    violations.push(
      `Number of spindles not configured for disks of instance ${instance.name} while exclusive storage is enabled, try running gnt-cluster repair-disk-sizes`,
    );
  }
  const spindleSum = spindles.includes(undefined)
    ? undefined
    : spindles.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  const sizeOf = (size: number | undefined) =>
    instance.forthcoming && size === 0 ? undefined : size;
  return [
    ...violations,
    ...specViolations(groupPolicy(now, group), {
      memoryMaxMib: isSaid("maxmem") ? filled.maxmem : undefined,
      vcpus: isSaid("vcpus") ? filled.vcpus : undefined,
      spindleUse: isExclusive ? spindleSum : isSaid("spindle_use") ? filled.spindle_use : undefined,
      nicCount:
        instance.forthcoming && instance.nics.length === 0 ? undefined : instance.nics.length,
      diskSizesMib: disks.map(({ size }) => sizeOf(size)),
      diskTypes: disks.map(({ dev_type }) => dev_type),
      disksUnsaid: instance.forthcoming === true,
    }),
  ];
}

/** What Ganeti says when an instance is refused for that. */
export const violationText = (group: GroupObject, violations: readonly string[]): string =>
  `Instance allocation to group ${group.uuid} (${group.name}) violates policy: ${violations.join(", ")}`;
