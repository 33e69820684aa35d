/** OP_INSTANCE_SHUTDOWN: stops an instance and records that it is down. */

import { instanceOnNode } from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import type { OpcodeOf, RealInstance } from "@ganeti-ts/protocol";
import { instanceHooks } from "../../hooks/instance-hooks.js";
import { ask, valueOrFail, valueOrRefuse } from "../../unit/calls.js";
import { areChecksAll } from "../../unit/checks-done.js";
import { contextAt, type UnitContext } from "../../unit/context.js";
import { info, warn } from "../../unit/feedback.js";
import { asExclusive, instanceLock } from "../../unit/locks.js";
import type { Unit } from "../../unit/unit.js";
import { shutdownDisks } from "../disks/activation.js";
import { markDown, namedRealInstance, online } from "../state.js";
import { checkNodeOnline } from "./node-checks.js";
import { checkInstanceState, isUserDown, runtimeInfo } from "./running.js";

export const shutdown: Unit<"OP_INSTANCE_SHUTDOWN"> = {
  opcode: "OP_INSTANCE_SHUTDOWN",
  hooks: instanceHooks("instance-stop", { variables: ({ timeout }) => ({ TIMEOUT: timeout }) }),

  locks: (op, now) => asExclusive(instanceLock(namedRealInstance(now, op))),

  async run(op, world) {
    const now = world.config.snapshot;
    const context = contextAt(world, now);
    const instance = namedRealInstance(now, op);
    if (op.no_remember && op.admin_state_source !== undefined) {
      const text =
        "Parameter 'admin_state_source' has no effect if used with parameter 'no_remember'";
      warn(world, text);
    }
    if (op.force) warn(world, "Ignoring offline instance check");
    else await checkInstanceState(context, instance, online);
    const isNodeOffline = now.node(instance.primary_node)?.offline === true;
    if (isNodeOffline && op.ignore_offline_nodes) warn(world, "Ignoring offline primary node");
    else checkNodeOnline(now, instance.primary_node);
    if (op.admin_state_source === "user") await mustBeUserDown(context, instance);
    if (await areChecksAll(world, op)) return null;

    // The state `offline` stays, because it implies `down`.
    if (!op.no_remember && online.includes(instance.admin_state)) {
      await markDown(world, instance.uuid, op.admin_state_source);
    }
    if (isNodeOffline) info(world, "Primary node offline, marked instance as stopped");
    else await stop(context, instance, op);
    return null;
  },
};

async function mustBeUserDown(context: UnitContext, instance: RealInstance): Promise<void> {
  const running = valueOrRefuse(
    await runtimeInfo(context, instance),
    `Error checking instance '${instance.name}'`,
  );
  if (isUserDown(context.now, instance, running)) return;
  const text = `Instance '${instance.name}' was not shutdown by the user`;
  throw new PrereqError("wrong_state", text);
}

async function stop(
  context: UnitContext,
  instance: RealInstance,
  op: OpcodeOf<"OP_INSTANCE_SHUTDOWN">,
): Promise<void> {
  valueOrFail(
    await ask(context, instance.primary_node, "instance_shutdown", {
      instance: instanceOnNode(context.now, instance),
      timeoutSeconds: op.timeout,
      reason: op.reason,
    }),
    `Could not shutdown instance '${instance.name}'`,
  );
  await shutdownDisks(context, instance);
}
