/** OP_INSTANCE_STARTUP, OP_INSTANCE_SHUTDOWN and OP_INSTANCE_REBOOT. */

import { filledHvparams, instanceOnNode, secondaryNodes } from "@ganeti-ts/config";
import { ExecError } from "@ganeti-ts/job-queue";
import type { Json, OpcodeOf, RealInstance } from "@ganeti-ts/protocol";
import { checkRoom } from "../../capacity/demand.js";
import { startingOf, whileStarting } from "../../capacity/with-claims.js";
import { instanceHooks } from "../../hooks/instance-hooks.js";
import { ask, info, valueOrFail, valueOrRefuse, warn } from "../../unit/effects.js";
import { asExclusive, instanceLock, nodeResourceLock } from "../../unit/locks.js";
import { wrongState } from "../../unit/refusals.js";
import type { Unit, UnitContext, World } from "../../unit/unit.js";
import { areChecksAll, contextAt } from "../../unit/unit.js";
import {
  beparamTypes,
  hvparamTypes,
  typedParameters,
  withoutMemoryAlias,
} from "../parameters/parameter-types.js";
import { markDown, markUp, namedRealInstance, nodeName, online } from "../state.js";
import { shutdownDisks, startDisks } from "./activation.js";
import { startOnNode } from "./left-running.js";
import { checkBridges, checkHvparams, checkNodeOnline } from "./node-checks.js";
import { checkInstanceState, isUserDown, runtimeInfo } from "./running.js";

type Op = OpcodeOf<"OP_INSTANCE_STARTUP">;

/** OP_INSTANCE_STARTUP: starts an instance and records that it is up. */
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

/** OP_INSTANCE_SHUTDOWN: stops an instance and records that it is down. */
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
  wrongState(`Instance '${instance.name}' was not shutdown by the user`);
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

type RebootOp = OpcodeOf<"OP_INSTANCE_REBOOT">;

/** OP_INSTANCE_REBOOT: restarts an instance: softly or hard by its hypervisor, or by a full stop and start. */
export const reboot: Unit<"OP_INSTANCE_REBOOT"> = {
  opcode: "OP_INSTANCE_REBOOT",
  hooks: instanceHooks("instance-reboot", {
    variables: (op) => ({
      IGNORE_SECONDARIES: op.ignore_secondaries,
      REBOOT_TYPE: op.reboot_type,
      SHUTDOWN_TIMEOUT: op.shutdown_timeout,
    }),
  }),

  locks: (op, now) => asExclusive(instanceLock(namedRealInstance(now, op))),

  async run(op, world) {
    const now = world.config.snapshot;
    const context = contextAt(world, now);
    const instance = namedRealInstance(now, op);
    const node = instance.primary_node;
    await checkInstanceState(context, instance, online);
    checkNodeOnline(now, node);
    await checkBridges(context, instance.nics, node);
    if (await areChecksAll(world, op)) return null;

    const running = valueOrFail(
      await runtimeInfo(context, instance),
      `Error checking node ${nodeName(now, node)}`,
    );
    if (running === null) {
      info(world, `Instance ${instance.name} was already stopped, starting now`);
    }
    const starting = startingOf(now, instance, { runningMib: running?.memoryMib ?? 0 });
    await whileStarting(world, starting, async (bounds) => {
      const { reboot_type: type } = op;
      if (running !== null && type !== "full") {
        return rebootOnNode(context, { ...op, type }, instance, bounds);
      }
      if (running !== null) await stopForReboot(context, op, instance);
      await start(context, op, instance, bounds);
    });
    await markUp(world, instance.uuid);
    return null;
  },
};

type Bounds = Readonly<Record<string, Json>>;

async function rebootOnNode(
  context: UnitContext,
  op: RebootOp & { readonly type: "soft" | "hard" },
  instance: RealInstance,
  bounds: Bounds,
): Promise<void> {
  // A soft reboot of KVM starts the command of the last start again, with the memory of that.
  const isBound = instance.hypervisor === "kvm" && bounds.maxmem !== undefined;
  valueOrFail(
    await ask(context, instance.primary_node, "instance_reboot", {
      instance: instanceOnNode(context.now, instance, { beparams: bounds }),
      type: isBound ? "hard" : op.type,
      shutdownTimeoutSeconds: op.shutdown_timeout,
      reason: op.reason,
    }),
    "Could not reboot instance",
  );
}

async function stopForReboot(
  context: UnitContext,
  op: RebootOp,
  instance: RealInstance,
): Promise<void> {
  valueOrFail(
    await ask(context, instance.primary_node, "instance_shutdown", {
      instance: instanceOnNode(context.now, instance),
      timeoutSeconds: op.shutdown_timeout,
      reason: op.reason,
    }),
    "Could not shutdown instance for full reboot",
  );
  await shutdownDisks(context, instance);
}

async function start(
  context: UnitContext,
  op: RebootOp,
  instance: RealInstance,
  bounds: Bounds,
): Promise<void> {
  await startDisks(context, instance, op.ignore_secondaries);
  const answer = await startOnNode(context, instance.primary_node, {
    instance: instanceOnNode(context.now, instance, { beparams: bounds }),
  });
  if (answer.ok) return;
  await shutdownDisks(context, instance);
  throw new ExecError(`Could not start instance for full reboot: ${answer.message}`);
}
