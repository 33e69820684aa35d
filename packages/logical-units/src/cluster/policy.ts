/** Instance policies of opcodes: merged with the existing policy, and checked. */

import { policyFault, type Snapshot } from "@ganeti-ts/config";
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import { type ParameterType, typedParameters } from "../instance/parameters/parameter-types.js";
import { wrongInput } from "../unit/refusals.js";

const ratios = ["vcpu-ratio", "spindle-ratio"];
const keys = ["minmax", "std", "disk-templates", ...ratios];

const specTypes: Readonly<Record<string, ParameterType>> = {
  "memory-size": "size",
  "cpu-count": "integer",
  "disk-count": "integer",
  "disk-size": "size",
  "nic-count": "integer",
  "spindle-use": "integer",
};

/**
 * Given keys replace existing ones; within the cluster's `std`, single values do. An empty value or
 * `default` removes a key from a group's policy. @throws PrereqError, OperationError
 */
export function changedPolicy(
  before: JsonObject,
  given: JsonObject,
  level: "cluster" | "group",
): JsonObject {
  const policy: Record<string, Json> = { ...before };
  for (const [key, value] of Object.entries(given)) {
    if (!keys.includes(key)) wrongInput(`Invalid key in new ipolicy: ${key}`);
    if (isUnset(value)) {
      if (level === "cluster") wrongInput(`Can't unset ipolicy attribute '${key}' on the cluster'`);
      delete policy[key];
    } else {
      policy[key] = typedValue(key, value, before, level);
    }
  }
  const fault = policyFault(policy, level === "cluster");
  if (fault !== undefined) wrongInput(`Invalid instance policy: ${fault}`);
  return policy;
}

function typedValue(key: string, value: Json, before: JsonObject, level: string): Json {
  if (ratios.includes(key)) {
    const number = Number(value);
    if (!Number.isNaN(number) && typeof value !== "boolean") return number;
    const why = `could not convert string to float: '${String(value)}'`;
    wrongInput(`Invalid value for attribute '${key}': '${String(value)}', error: ${why}`);
  }
  if (key === "minmax") {
    return (value as readonly JsonObject[]).map((interval) =>
      Object.fromEntries(
        Object.entries(interval).map(([bound, spec]) => [
          bound,
          typedParameters(spec as JsonObject, specTypes),
        ]),
      ),
    );
  }
  if (key !== "std") return value;
  if (level === "group") wrongInput(`${key} cannot appear in group instance specs`);
  return typedParameters({ ...(before.std as JsonObject), ...(value as JsonObject) }, specTypes);
}

const isUnset = (value: Json): boolean =>
  value === "default" ||
  value === null ||
  value === "" ||
  value === 0 ||
  (Array.isArray(value) && (value.length === 0 || (value.length === 1 && value[0] === "default")));

/** A group's policy, completed with the cluster's. @throws PrereqError if it is invalid */
export function filledPolicy({ cluster }: Snapshot, policy: JsonObject): JsonObject {
  const fault = policyFault(policy, false);
  if (fault !== undefined) wrongInput(`Invalid instance policy: ${fault}`);
  return { ...(cluster.ipolicy as unknown as JsonObject), ...policy };
}

/** @throws PrereqError if a template is allowed that the cluster has not enabled */
export function checkTemplatesEnabled(
  { cluster }: Pick<Snapshot, "cluster">,
  policy: JsonObject,
): void {
  const enabled: readonly string[] = cluster.enabled_disk_templates;
  const allowed = policy["disk-templates"] as readonly string[];
  const missing = allowed.filter((template) => !enabled.includes(template));
  if (missing.length === 0) return;
  wrongInput(
    "The following disk templates are allowed by the ipolicy, but not enabled on the cluster:" +
      ` ${missing.join(", ")}`,
  );
}
