/** Hook variables of a new instance. */
import { filledHvparams, type Snapshot } from "@ganeti-ts/config";
import type { ForthcomingInstance, NicObject } from "@ganeti-ts/protocol";
import { type Found, type Hooks, type HookVariables, merged, onNodes } from "../../hooks/hooks.js";
import { instanceVariables, variablesOf } from "../../hooks/instance-hooks.js";
import type { InstanceSource } from "./import/source.js";
import type { Wanted } from "./plan.js";
import type { CreateOp } from "./request.js";
import type { InstancePlan } from "./reservation.js";

export const creationHooks: Hooks<CreateOp> = {
  path: "instance-add",
  object: "INSTANCE",
  environment: ({ mode = "create" }, _, { variables = {} }) =>
    merged({ ADD_MODE: mode }, variables),
  nodes: (_, now, { nodes = [] }) => onNodes(now.cluster.master_node, ...nodes),
};

/** Disks appear with the values that the opcode gives. */
export function foundOfCreation(
  now: Snapshot,
  { request, variables }: Pick<InstanceSource, "request" | "variables">,
  { beparams }: Pick<Wanted, "beparams">,
  { plan, nics }: { readonly plan: InstancePlan; readonly nics: readonly NicObject[] },
): Found {
  const { entry, primary, secondary, template } = plan;
  const secondaries = secondary === undefined ? [] : [secondary];
  return {
    nodes: [primary ?? [], ...secondaries].flat(),
    variables: merged(
      variables ?? {},
      variablesOf(now, {
        name: entry.name ?? "",
        primary,
        secondaries,
        status: request.start,
        os: entry.os,
        template,
        hypervisor: entry.hypervisor,
        beparams: { ...beparams },
        hvparams: filledHvparams(now, entry),
        nics: nics as never,
        disks: plan.disks.map(({ size, mode, name }) => ({
          size,
          mode,
          ...(name === undefined ? {} : { name }),
        })),
        tags: entry.tags,
        forthcoming: request.op.forthcoming,
      }),
    ),
  };
}

/** Variables of a reservation that is made real, including the values given now. */
export const foundOfCommit = (
  now: Snapshot,
  complete: ForthcomingInstance,
  nodes: Found["nodes"] & object,
): Found => ({ nodes, variables: instanceVariables(now, complete) as HookVariables });
