/** OP_INSTANCE_SHUTDOWN: stops an instance, and remembers that it is not to run. */

import type { Snapshot } from "@ganeti-ts/config";
import { instanceOnNode } from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import type { OpcodeOf, RealInstance } from "@ganeti-ts/protocol";
import { instanceHooks } from "../../hooks/instance-hooks.js";
import { ask, valueOrFail, valueOrRefuse } from "../../unit/calls.js";
import { areChecksAll } from "../../unit/checks-done.js";
import { info, warn } from "../../unit/feedback.js";
import { asExclusive, instanceLock } from "../../unit/locks.js";
import type { Unit, World } from "../../unit/unit.js";
import { shutdownDisks } from "../disks/activation.js";
import { markDown, namedRealInstance, online } from "../state.js";
import { checkNodeOnline } from "./node-checks.js";
import { checkInstanceState, isUserDown, runtimeInfo } from "./running.js";

export const shutdown: Unit<"OP_INSTANCE_SHUTDOWN"> = {
  opcode: "OP_INSTANCE_SHUTDOWN",
  hooks: instanceHooks("instance-stop", { told: ({ timeout }) => ({ TIMEOUT: timeout }) }),

  locks: (op, now) => asExclusive(instanceLock(namedRealInstance(now, op))),

  async run(op, world) {
    const now = world.config.snapshot;
    const instance = namedRealInstance(now, op);
    if (op.no_remember && op.admin_state_source !== undefined) {
      const text =
        "Parameter 'admin_state_source' has no effect if used with parameter 'no_remember'";
      warn(world, text);
    }
    if (op.force) warn(world, "Ignoring offline instance check");
    else await checkInstanceState(world, now, instance, online);
    const isNodeOffline = now.node(instance.primary_node)?.offline === true;
    if (isNodeOffline && op.ignore_offline_nodes) warn(world, "Ignoring offline primary node");
    else checkNodeOnline(now, instance.primary_node);
    if (op.admin_state_source === "user") await mustBeUserDown(world, now, instance);
    if (await areChecksAll(world, op)) return null;

    // The mark of an instance that is offline stays: it says more.
    if (!op.no_remember && online.includes(instance.admin_state)) {
      await markDown(world, instance.uuid, op.admin_state_source);
    }
    if (isNodeOffline) info(world, "Primary node offline, marked instance as stopped");
    else await stop(world, now, instance, op);
    return null;
  },
};

async function mustBeUserDown(world: World, now: Snapshot, instance: RealInstance): Promise<void> {
  const running = valueOrRefuse(
    await runtimeInfo(world, now, instance),
    `Error checking instance '${instance.name}'`,
  );
  if (isUserDown(now, instance, running)) return;
  const text = `Instance '${instance.name}' was not shutdown by the user`;
  throw new PrereqError("wrong_state", text);
}

async function stop(
  world: World,
  now: Snapshot,
  instance: RealInstance,
  op: OpcodeOf<"OP_INSTANCE_SHUTDOWN">,
): Promise<void> {
  valueOrFail(
    await ask(world, instance.primary_node, "instance_shutdown", {
      instance: instanceOnNode(now, instance),
      timeoutSeconds: op.timeout,
      reason: op.reason,
    }),
    `Could not shutdown instance '${instance.name}'`,
  );
  await shutdownDisks(world, instance);
}
