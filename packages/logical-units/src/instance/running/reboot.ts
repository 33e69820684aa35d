/** OP_INSTANCE_REBOOT: restarts an instance: softly or hard by its hypervisor, or by a full stop and start. */

import { instanceOnNode } from "@ganeti-ts/config";
import { ExecError } from "@ganeti-ts/job-queue";
import type { Json, OpcodeOf, RealInstance } from "@ganeti-ts/protocol";
import { startingOf, whileStarting } from "../../capacity/starting.js";
import { instanceHooks } from "../../hooks/instance-hooks.js";
import { ask, valueOrFail } from "../../unit/calls.js";
import { areChecksAll } from "../../unit/checks-done.js";
import { contextAt, type UnitContext } from "../../unit/context.js";
import { info } from "../../unit/feedback.js";
import { asExclusive, instanceLock } from "../../unit/locks.js";
import type { Unit } from "../../unit/unit.js";
import { shutdownDisks, startDisks } from "../disks/activation.js";
import { markUp, namedRealInstance, nodeName, online } from "../state.js";
import { startOnNode } from "./left-running.js";
import { checkBridges, checkNodeOnline } from "./node-checks.js";
import { checkInstanceState, runtimeInfo } from "./running.js";

type Op = OpcodeOf<"OP_INSTANCE_REBOOT">;

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
      if (running !== null) await stop(context, op, instance);
      await start(context, op, instance, bounds);
    });
    await markUp(world, instance.uuid);
    return null;
  },
};

type Bounds = Readonly<Record<string, Json>>;

async function rebootOnNode(
  context: UnitContext,
  op: Op & { readonly type: "soft" | "hard" },
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

async function stop(context: UnitContext, op: Op, instance: RealInstance): Promise<void> {
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
  op: Op,
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
