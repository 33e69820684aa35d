/** Validation of a policy from any source. */
import { diskTemplates, isJsonObject, type Json, policyParameters } from "@ganeti-ts/protocol";

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
