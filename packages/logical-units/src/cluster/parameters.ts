/** Node and disk parameters of opcodes: checked, typed, and merged with the existing values. */

import { instanceLabel } from "@ganeti-ts/cluster-queries";
import { defaultDiskparams, diskTemplate, type Snapshot } from "@ganeti-ts/config";
import type {
  Diskparams,
  InstanceObject,
  JsonObject,
  ParameterValue,
  PartialNdparams,
} from "@ganeti-ts/protocol";
import { type ParameterType, typedParameters } from "../instance/parameters/parameter-types.js";
import { wrongInput } from "../unit/refusals.js";

type Types = Readonly<Record<string, ParameterType>>;

export const ndparamTypes: Types = {
  oob_program: "string",
  spindle_count: "integer",
  exclusive_storage: "boolean",
  ovs: "boolean",
  ovs_name: "string",
  ovs_link: "string",
  ssh_port: "integer",
  cpu_speed: "number",
};

/**
 * Types over all disk templates together; whether a template has a parameter is checked separately.
 */
const diskparamTypes: Types = Object.fromEntries(
  Object.values(defaultDiskparams)
    .flatMap((parameters) => Object.entries(parameters))
    .map(([name, value]): [string, ParameterType] => [name, typeOfDefault(value)]),
);

function typeOfDefault(value: ParameterValue): ParameterType {
  if (typeof value === "boolean") return "boolean";
  return typeof value === "number" ? "integer" : "string";
}

/** The old values overlaid with the new ones; `default` removes a value. @throws OperationError */
export function changedParameters(
  before: JsonObject,
  given: JsonObject,
  types: Types,
): Record<string, ParameterValue> {
  const changed = { ...before, ...given };
  for (const [name, value] of Object.entries(given)) if (value === "default") delete changed[name];
  return typedParameters(changed, types);
}

/** Parameters that only groups and the cluster have. @throws PrereqError */
export function checkNodeLevel(given: JsonObject): void {
  const global = Object.keys(given).filter((name) => name === "exclusive_storage");
  if (global.length === 0) return;
  wrongInput(
    "The following node parameters are global and cannot be customized at node level, please" +
      ` modify them at cluster or group level: ${global.join(", ")}`,
  );
}

export const typedNdparams = (given: JsonObject): PartialNdparams =>
  typedParameters(given, ndparamTypes) as PartialNdparams;

/** By template. @throws OperationError, PrereqError */
export const typedDiskparams = (given: JsonObject): Diskparams => changedDiskparams({}, given);

export function changedDiskparams(before: Diskparams, given: JsonObject): Diskparams {
  const changed = { ...before };
  for (const [template, parameters] of Object.entries(spelled(given))) {
    changed[template] = changedParameters(
      (before[template] ?? {}) as JsonObject,
      parameters as JsonObject,
      diskparamTypes,
    );
  }
  checkOptions(changed);
  return changed;
}

/** Names of the 2.1 design for parameters of DRBD disks. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ["meta_flushes", "meta-barriers"],
  ["data_flushes", "disk-barriers"],
]);

const everyTemplate = "default";

/**
 * Maps each parameter to its own name and template: parameters of the class `default` go to every
 * template that has them, unless the template is given its own. An unknown parameter stays in
 * place.
 */
function spelled(given: JsonObject): Readonly<Record<string, JsonObject>> {
  const { [everyTemplate]: common, ...own } = given;
  const named = (parameters: unknown): JsonObject =>
    Object.fromEntries(
      Object.entries(parameters as JsonObject).map(([name, value]) => [
        otherNames.get(name) ?? name,
        value,
      ]),
    );
  const sets = new Map(Object.entries(own).map(([name, one]) => [name, named(one)]));
  for (const [name, value] of Object.entries(named(common ?? {}))) {
    const having = Object.entries(defaultDiskparams).filter(([, one]) => Object.hasOwn(one, name));
    const templates = having.length > 0 ? having.map(([template]) => template) : [everyTemplate];
    for (const template of templates) sets.set(template, { [name]: value, ...sets.get(template) });
  }
  return Object.fromEntries(sets);
}

/** Every template accepts only its own parameters. */
function checkOptions(diskparams: Diskparams): void {
  const known: Readonly<Record<string, object>> = defaultDiskparams;
  const unknown = Object.entries(diskparams).flatMap(([template, parameters]) =>
    Object.keys(parameters)
      .filter((name) => !Object.hasOwn(known[template] ?? {}, name))
      .map((name) => `${template}/${name}`),
  );
  if (unknown.length === 0) return;
  const why = `Provided option keys not supported: ${unknown.join(", ")}`;
  // Nested as Ganeti shows an error within an error.
  wrongInput(`While verify diskparams options: ('${why}', 'wrong_input')`);
}

const accessModes = ["kernelspace", "userspace"];

/** The hypervisors of the instances must support the access mode of disks. @throws PrereqError */
export function checkAccess(
  now: Snapshot,
  diskparams: Diskparams,
  instances: Iterable<InstanceObject>,
): void {
  for (const [template, { access = "kernelspace" }] of Object.entries(diskparams)) {
    if (!accessModes.includes(String(access))) {
      wrongInput(
        `Invalid value of '${template}:access': '${access}' (expected one of ${accessModes.join(", ")})`,
      );
    }
    if (access === "kernelspace") continue;
    for (const instance of instances) {
      if (diskTemplate(now, instance) !== template || instance.hypervisor === "kvm") continue;
      wrongInput(
        `Instance ${instanceLabel(instance)}: cannot use '${access}' access setting with` +
          ` ${instance.hypervisor} hypervisor and ${template} disk type.`,
      );
    }
  }
}
