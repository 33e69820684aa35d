/** Instance policies: validation of a policy from any source, and checks of instances against it. Sizes in MiB. */
import type {
  ClusterPolicy,
  GroupObject,
  InstanceObject,
  Json,
  PolicySpec,
} from "@ganeti-ts/protocol";
import { diskTemplates, isJsonObject, policyParameters } from "@ganeti-ts/protocol";
import { filledBeparams, filledNdparams, groupPolicy } from "./filling.js";
import { type Snapshot, secondaryNodes } from "./snapshot.js";

/** Validation of a policy from any source. */
const allKeys = ["minmax", "std", "disk-templates", "vcpu-ratio", "spindle-ratio"];

/**
 * The first fault, in Ganeti's words; undefined if there is none. `hasStd` is true for the cluster's policy;
 * values missing in a group's policy are not faults.
 */
export function policyFault(policy: Json, hasStd: boolean): string | undefined {
  if (!isJsonObject(policy)) return "Instance policy is not a dictionary";
  const templates = policy["disk-templates"];
  return (
    specsFault(policy.minmax, policy.std, hasStd) ??
    (templates === undefined ? undefined : templatesFault(templates)) ??
    ["vcpu-ratio", "spindle-ratio"].flatMap((key) => ratioFault(key, policy[key]) ?? [])[0] ??
    keysFault(Object.keys(policy), hasStd)
  );
}

function keysFault(keys: readonly string[], hasStd: boolean): string | undefined {
  const wrong = keys.filter((key) => !allKeys.includes(key) || (key === "std" && !hasStd));
  return wrong.length === 0 ? undefined : `Invalid keys in ipolicy: ${wrong.join(", ")}`;
}

function specsFault(minmax: Json | undefined, std: Json | undefined, hasStd: boolean) {
  if (minmax === undefined) return undefined;
  if (hasStd && std === undefined) return "Missing key in ipolicy: std";
  if (hasStd) {
    const fault = specFault(std ?? null, "std");
    if (fault !== undefined) return fault;
  }
  if (!Array.isArray(minmax) || minmax.length === 0) return "Empty minmax specifications";
  let isStdGood = false;
  for (const interval of minmax as readonly Json[]) {
    const bounds = isJsonObject(interval) ? interval : {};
    const missing = ["max", "min"].filter((key) => bounds[key] === undefined);
    if (missing.length > 0) return `Missing instance specification: ${missing.join(", ")}`;
    const { min = null, max = null } = bounds;
    const fault = specFault(min, "min") ?? specFault(max, "max") ?? rangeFault(min, max);
    if (fault !== undefined) return fault;
    isStdGood ||= !hasStd || isBetween(min, std ?? null, max);
  }
  return isStdGood ? undefined : "Invalid std specifications";
}

const boundOf = (spec: Json, key: string): number =>
  isJsonObject(spec) ? Number(spec[key]) : Number.NaN;

function specFault(spec: Json, name: string): string | undefined {
  const missing = policyParameters.filter((key) => !isJsonObject(spec) || spec[key] === undefined);
  if (missing.length > 0) {
    return `Missing instance specs parameters for ${name}: ${missing.join(", ")}`;
  }
  const wrong = policyParameters.find((key) => !Number.isInteger(boundOf(spec, key)));
  return wrong === undefined ? undefined : `Invalid value of ${name}/${wrong} in ipolicy`;
}

function rangeFault(min: Json, max: Json): string | undefined {
  const wrong = policyParameters.find((key) => boundOf(min, key) > boundOf(max, key));
  if (wrong === undefined) return undefined;
  const [low, high] = [boundOf(min, wrong), boundOf(max, wrong)];
  return `Invalid specification of min/max values for ${wrong}: ${low}/${high}`;
}

const isBetween = (min: Json, std: Json, max: Json): boolean =>
  policyParameters.every(
    (key) => boundOf(std, key) >= boundOf(min, key) && boundOf(std, key) <= boundOf(max, key),
  );

function templatesFault(templates: Json): string | undefined {
  if (!Array.isArray(templates) || templates.length === 0) {
    return "Instance policy must contain at least one disk template";
  }
  const wrong = templates.filter((one) => !(diskTemplates as readonly Json[]).includes(one));
  return wrong.length === 0 ? undefined : `Invalid disk template(s) ${wrong.join(", ")}`;
}

function ratioFault(key: string, value: Json | undefined): string | undefined {
  if (value === undefined || typeof value === "number") return undefined;
  return `Invalid value for key '${key}': '${String(value)}', error: no number`;
}

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
