/** Check of an instance against its group's policy. Sizes in MiB. */
import type { ClusterPolicy, GroupObject, InstanceObject, PolicySpec } from "@ganeti-ts/protocol";
import { filledBeparams, filledNdparams, groupPolicy } from "./filling.js";
import { type Snapshot, secondaryNodes } from "./snapshot.js";

/** Figures of an instance that a policy limits; undefined figures are not checked. */
export interface PolicyFigures {
  readonly memoryMaxMib?: number | undefined;
  readonly vcpus?: number | undefined;
  readonly nicCount?: number | undefined;
  readonly spindleUse?: number | undefined;
  /** One for each disk; undefined if it is not known yet. */
  readonly diskSizesMib: readonly (number | undefined)[];
  readonly diskTypes: readonly (string | undefined)[];
  /** Whether the number of disks is still open, so that `diskless` is not checked. */
  readonly disksUnsaid?: boolean;
}

/**
 * Ganeti's texts, one for each violation; for sizes those of the interval with the fewest violations (the
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
 * Violations of a group's policy by an instance of the configuration. For a forthcoming instance only its own
 * values are checked. O(disks).
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

/** Ganeti's message for a refusal because of violations. */
export const violationText = (group: GroupObject, violations: readonly string[]): string =>
  `Instance allocation to group ${group.uuid} (${group.name}) violates policy: ${violations.join(", ")}`;
