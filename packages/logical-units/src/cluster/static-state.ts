/**
 * Static states of node resources as given by administrators: recorded, and not used by any check.
 */

import {
  hypervisors,
  type JsonObject,
  type NodeObject,
  type Parameters,
} from "@ganeti-ts/protocol";
import type { ParameterType } from "../instance/parameters/parameter-types.js";
import { wrongInput } from "../unit/refusals.js";
import { changedParameters } from "./parameters.js";

type Types = Readonly<Record<string, ParameterType>>;
type ByName = Readonly<Record<string, Parameters>>;

const hypervisorTypes: Types = {
  mem_total: "integer",
  mem_node: "integer",
  mem_hv: "integer",
  cpu_total: "integer",
  cpu_node: "integer",
};

const diskTypes: Types = {
  disk_total: "integer",
  disk_reserved: "integer",
  disk_overhead: "integer",
};

/** By hypervisor. @throws PrereqError, OperationError */
function readHypervisorState(given: JsonObject, before: ByName): ByName {
  const known: readonly string[] = hypervisors;
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    wrongInput(`Invalid hypervisor(s) in hypervisor state: ${unknown.join(", ")}`);
  }
  return changedState(before, given, hypervisorTypes);
}

/** By type of storage (only `plain` is supported) and unit. @throws PrereqError, OperationError */
function readDiskState(
  given: JsonObject,
  before: Readonly<Record<string, ByName>>,
): Readonly<Record<string, ByName>> {
  const unknown = Object.keys(given).filter((type) => type !== "plain");
  if (unknown.length > 0) {
    wrongInput(`Invalid storage type(s) in disk state: ${unknown.join(", ")}`);
  }
  return Object.fromEntries(
    Object.entries(given).map(([type, units]) => [
      type,
      changedState(before[type] ?? {}, units as JsonObject, diskTypes),
    ]),
  );
}

/** The given states, merged with those before. @throws PrereqError, OperationError */
export const staticStates = (
  { hv_state, disk_state }: Given,
  { hv_state_static = {}, disk_state_static = {} }: Pick<NodeObject, keyof Static>,
): Static => ({
  ...(hv_state && { hv_state_static: readHypervisorState(hv_state, hv_state_static) }),
  ...(disk_state && { disk_state_static: readDiskState(disk_state, disk_state_static) }),
});

type Given = { readonly [key in "hv_state" | "disk_state"]?: JsonObject | undefined };
interface Static {
  readonly hv_state_static?: ByName;
  readonly disk_state_static?: Readonly<Record<string, ByName>>;
}

function changedState(before: ByName, given: JsonObject, types: Types): ByName {
  const changed: Record<string, Parameters> = { ...before };
  for (const [name, parameters] of Object.entries(given)) {
    const old = (before[name] ?? {}) as JsonObject;
    changed[name] = changedParameters(old, parameters as JsonObject, types);
  }
  return changed;
}
