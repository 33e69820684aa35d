/** Checks that nodes support the new parameters and that the default allocators exist. */

import { defaultHvparams, type Snapshot } from "@ganeti-ts/config";
import { OperationError } from "@ganeti-ts/job-queue";
import type { JsonObject, OpcodeOf } from "@ganeti-ts/protocol";
import { checkHvparams } from "../instance/running/node-checks.js";
import { ask, valueOrRefuse } from "../unit/effects.js";
import { wrongInput } from "../unit/refusals.js";
import { contextAt, type UnitContext } from "../unit/unit.js";
import { allocatorLists } from "./changed-cluster.js";

type Op = OpcodeOf<"OP_CLUSTER_SET_PARAMS">;

/** `after` is the cluster as it will be. @throws PrereqError */
export async function checkOnNodes(context: UnitContext, op: Op, after: Snapshot): Promise<void> {
  const nodes = Array.from(context.now.nodes(), ({ uuid }) => uuid);
  const { cluster } = after;
  const afterwards = contextAt(context, after);
  const touched = new Set([...Object.keys(op.hvparams ?? {}), ...(op.enabled_hypervisors ?? [])]);
  for (const name of touched) {
    checkKnown(name);
    await checkHvparams(afterwards, nodes, name, (cluster.hvparams[name] ?? {}) as JsonObject);
  }
  for (const [os, sets] of Object.entries(op.os_hvp === undefined ? {} : cluster.os_hvp)) {
    for (const [name, hvparams] of Object.entries(sets)) {
      if (op.os_hvp?.[os] === undefined) continue;
      checkKnown(name);
      const filled = { ...cluster.hvparams[name], ...(hvparams as JsonObject) };
      await checkHvparams(afterwards, nodes, name, filled as JsonObject);
    }
  }
  const systems = new Set([
    ...Object.keys(op.osparams ?? {}),
    ...Object.keys(op.osparams_private_cluster ?? {}),
  ]);
  for (const name of systems) {
    const parameters = {
      ...cluster.osparams[name],
      ...cluster.osparams_private_cluster[name],
    } as JsonObject;
    valueOrRefuse(
      await ask(context, cluster.master_node, "os_validate", {
        required: false,
        name,
        checks: ["parameters"],
        parameters,
        forceVariant: false,
      }),
      `OS Parameters validation failed on node ${context.now.node(cluster.master_node)?.name}`,
    );
  }
  for (const name of Object.values(allocatorLists(op)).flat()) {
    if (await context.allocators.exists(name)) continue;
    wrongInput(`Invalid default iallocator script '${name}' specified`);
  }
}

function checkKnown(hypervisor: string): void {
  if (Object.hasOwn(defaultHvparams, hypervisor)) return;
  throw new OperationError("HypervisorError", [`Unknown hypervisor type '${hypervisor}'`]);
}
