/** OP_INSTANCE_STARTUP: starts an instance and records that it is up. */

import { filledHvparams, instanceOnNode, secondaryNodes } from "@ganeti-ts/config";
import { ExecError } from "@ganeti-ts/job-queue";
import type { OpcodeOf, RealInstance } from "@ganeti-ts/protocol";
import { checkRoom } from "../../capacity/demand.js";
import { startingOf, whileStarting } from "../../capacity/starting.js";
import { instanceHooks } from "../../hooks/instance-hooks.js";
import { ask, valueOrFail, valueOrRefuse } from "../../unit/calls.js";
import { areChecksAll } from "../../unit/checks-done.js";
import { contextAt, type UnitContext } from "../../unit/context.js";
import { info, warn } from "../../unit/feedback.js";
import { asExclusive, instanceLock, nodeResourceLock } from "../../unit/locks.js";
import type { Unit, World } from "../../unit/unit.js";
import { shutdownDisks, startDisks } from "../disks/activation.js";
import {
  beparamTypes,
  hvparamTypes,
  typedParameters,
  withoutMemoryAlias,
} from "../parameters/parameter-types.js";
import { markUp, namedRealInstance, nodeName, online } from "../state.js";
import { startOnNode } from "./left-running.js";
import { checkBridges, checkHvparams, checkNodeOnline } from "./node-checks.js";
import { checkInstanceState, isUserDown, runtimeInfo } from "./running.js";

type Op = OpcodeOf<"OP_INSTANCE_STARTUP">;

export const startup: Unit<"OP_INSTANCE_STARTUP"> = {
  opcode: "OP_INSTANCE_STARTUP",
  hooks: instanceHooks("instance-start", { variables: ({ force }) => ({ FORCE: force }) }),

  locks(op, now) {
    const instance = namedRealInstance(now, op);
    return asExclusive(instanceLock(instance), nodeResourceLock(instance.primary_node));
  },

  async run(op, world) {
    const now = world.config.snapshot;
    const context = contextAt(world, now);
    const instance = namedRealInstance(now, op);
    const beparams = typedParameters(withoutMemoryAlias(op.beparams), beparamTypes);
    const hvparams = typedParameters(op.hvparams, hvparamTypes(now));
    if (Object.keys(hvparams).length > 0) {
      const nodes = [instance.primary_node, ...secondaryNodes(now, instance)];
      const filled = { ...filledHvparams(now, instance), ...hvparams };
      await checkHvparams(context, nodes, instance.hypervisor, filled);
    }
    await checkInstanceState(context, instance, online);
    if (now.node(instance.primary_node)?.offline && op.ignore_offline_nodes) {
      return startOffline(op, world, instance);
    }
    checkNodeOnline(now, instance.primary_node);
    await checkBridges(context, instance.nics, instance.primary_node);
    const running = valueOrRefuse(
      await runtimeInfo(context, instance),
      `Error checking node ${nodeName(now, instance.primary_node)}`,
    );
    const isPutAway = isUserDown(now, instance, running);
    const runningMib = running?.memoryMib ?? 0;
    const isStarted = running === null || isPutAway;
    const starting = isStarted ? startingOf(now, instance, { beparams, runningMib }) : undefined;
    if (op.dry_run && starting !== undefined) await checkRoom(world, [starting.demand]);
    if (await areChecksAll(world, op)) return null;

    await whileStarting(world, starting, async (bounds) => {
      if (!op.no_remember) await markUp(world, instance.uuid);
      if (isPutAway) await putAway(context, instance, op);
      await startDisks(world, instance, op.force);
      const answer = await startOnNode(world, instance.primary_node, {
        instance: instanceOnNode(now, instance, { hvparams, beparams: { ...beparams, ...bounds } }),
        startupPaused: op.startup_paused,
      });
      if (!answer.ok) await shutdownDisks(world, instance);
      valueOrFail(answer, `Could not start instance '${instance.name}'`);
    });
    return null;
  },
};

async function startOffline(op: Op, world: World, instance: RealInstance): Promise<null> {
  warn(world, "Ignoring offline primary node");
  if (Object.keys({ ...op.hvparams, ...op.beparams }).length > 0) {
    warn(world, "Overridden parameters are ignored");
  }
  if (await areChecksAll(world, op)) return null;
  if (!op.no_remember) await markUp(world, instance.uuid);
  info(world, "Primary node offline, marked instance as started");
  return null;
}

/** Removes the remains of an instance whose guest shut itself down. */
async function putAway(context: UnitContext, instance: RealInstance, op: Op): Promise<void> {
  const answer = await ask(context, instance.primary_node, "instance_shutdown", {
    instance: instanceOnNode(context.now, instance),
    timeoutSeconds: op.shutdown_timeout,
    reason: op.reason,
  });
  if (!answer.ok) {
    throw new ExecError(`Could not shutdown instance '${instance.name}': ${answer.message}`);
  }
  await shutdownDisks(context, instance);
}
