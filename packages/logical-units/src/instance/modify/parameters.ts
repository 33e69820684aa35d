/** Modified parameters of an instance; `default` removes a value. */

import { filledHvparams, filledOsparams, type Snapshot } from "@ganeti-ts/config";
import type {
  Hypervisor,
  InstanceObject,
  Json,
  OpcodeOf,
  Parameters,
  PartialBeparams,
} from "@ganeti-ts/protocol";
import { wrongInput } from "../../unit/refusals.js";
import { checkedBeparams, checkedHvparams, checkedHypervisor } from "../create/request.js";
import {
  beparamTypes,
  typedParameters,
  withoutMemoryAlias,
} from "../parameters/parameter-types.js";
import type { Changed } from "../plan/changes.js";

export type SetOp = OpcodeOf<"OP_INSTANCE_SET_PARAMS">;

export interface ChangedParameters {
  readonly hvparams: Parameters;
  readonly beparams: PartialBeparams;
  readonly hypervisor?: Hypervisor;
  readonly os: string | undefined;
  readonly osparams: Parameters;
  readonly osparams_private: Parameters;
}

/** @throws PrereqError, OperationError TypeEnforcementError */
export function changedParameters(
  now: Snapshot,
  instance: InstanceObject,
  op: SetOp,
): ChangedParameters {
  const given = typedParameters(withoutMemoryAlias(op.beparams), beparamTypes, ["default", null]);
  const beparams = updated(instance.beparams ?? {}, given) as PartialBeparams;
  // Checks both bounds together, completed with the cluster's values.
  checkedBeparams(now, beparams as SetOp["beparams"]);
  const { osparams, osparams_private: secret = {} } = op;
  const twice = Object.keys(osparams).filter((name) => Object.hasOwn(secret, name));
  if (twice.length > 0) wrongInput(`OS parameters repeated multiple times: ${twice.join(", ")}`);
  const hypervisor =
    op.hypervisor === undefined ? instance.hypervisor : checkedHypervisor(now, op.hypervisor);
  return {
    beparams,
    ...(hypervisor === undefined ? {} : { hypervisor }),
    os: op.os_name ?? instance.os,
    hvparams: changedHvparams(now, instance, op),
    osparams: updated(instance.osparams ?? {}, osparams) as Parameters,
    osparams_private: updated(instance.osparams_private ?? {}, secret) as Parameters,
  };
}

function changedHvparams(now: Snapshot, instance: InstanceObject, op: SetOp): Parameters {
  const entries = Object.entries(op.hvparams);
  const own = Object.fromEntries(entries.filter(([, value]) => value !== "default"));
  const os = op.os_name ?? instance.os;
  const typed = checkedHvparams(now, own, op.hypervisor ?? instance.hypervisor, os);
  const all = updated(instance.hvparams ?? {}, { ...op.hvparams, ...typed }) as Parameters;
  // Another hypervisor must also know the values that stay.
  return op.hypervisor === undefined ? all : checkedHvparams(now, all, op.hypervisor, os);
}

/** All parameters with defaults, for the checks of nodes. */
export const filledParameters = (
  now: Snapshot,
  instance: InstanceObject,
  { hvparams, osparams, osparams_private, os }: ChangedParameters,
) => {
  const known = { ...(os === undefined ? {} : { os }), osparams, osparams_private };
  const filled = filledOsparams(now, known);
  return {
    hvparams: filledHvparams(now, {
      ...(instance.hypervisor === undefined ? {} : { hypervisor: instance.hypervisor }),
      ...(os === undefined ? {} : { os }),
      hvparams,
    }),
    osparams: { open: filled.public, hidden: filled.private },
  };
};

/** Entries of the result: the given values. */
export function parameterChanges(op: SetOp): readonly Changed[] {
  const listed = (prefix: string, given: Readonly<Record<string, Json>> = {}) =>
    Object.entries(given).map(([name, value]): Changed => [`${prefix}/${name}`, value]);
  const hidden = Object.keys(op.osparams_private ?? {}).map(
    (name): Changed => [`os_private/${name}`, "<redacted>"],
  );
  return [
    ...listed("hv", op.hvparams),
    ...listed("be", op.beparams),
    ...listed("os", op.osparams),
    ...hidden,
  ];
}

function updated(
  old: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries({ ...old, ...given }).filter(
      ([, value]) => value !== "default" && value !== null,
    ),
  );
}
