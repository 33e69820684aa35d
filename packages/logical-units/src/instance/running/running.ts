/** Run state of an instance, and checks that it allows an operation. */

import { filledHvparams, hypervisorOnNode, type Snapshot } from "@ganeti-ts/config";
import type { RunningInstance } from "@ganeti-ts/node-calls";
import type { AdminState, RealInstance } from "@ganeti-ts/protocol";
import { ask, valueOrRefuse, warn } from "../../unit/effects.js";
import { wrongState } from "../../unit/refusals.js";
import type { UnitContext } from "../../unit/unit.js";

/** The instance's runtime data from its primary node. */
export const runtimeInfo = (context: UnitContext, instance: RealInstance) =>
  ask(context, instance.primary_node, "instance_info", {
    name: instance.name,
    hypervisor: hypervisorOnNode(context.now, instance.hypervisor),
  });

/** Whether the guest shut itself down and its hypervisor counts that as the user's wish. */
export function isUserDown(
  now: Snapshot,
  instance: RealInstance,
  running: RunningInstance | null,
): boolean {
  if (running?.state !== "shutdown") return false;
  return instance.hypervisor !== "kvm" || filledHvparams(now, instance).user_shutdown === true;
}

/** Whether the hypervisor has the instance and the guest has not shut itself down. */
export async function isRunning(context: UnitContext, instance: RealInstance): Promise<boolean> {
  const running = valueOrRefuse(
    await runtimeInfo(context, instance),
    `Can't retrieve instance information for instance '${instance.name}'`,
  );
  return running !== null && running.state !== "shutdown";
}

/**
 * Refuses an instance whose administrative state is not in `wanted`, and a running one if `up` is
 * not in it; `why` ends the text.
 */
export async function checkInstanceState(
  context: UnitContext,
  instance: RealInstance,
  wanted: readonly AdminState[],
  why = `can't use instance from outside ${wanted.join(", ")} states`,
): Promise<void> {
  if (!wanted.includes(instance.admin_state)) {
    const { name, admin_state: state } = instance;
    wrongState(`Instance '${name}' is marked to be ${state}, ${why}`);
  }
  if (wanted.includes("up")) return;
  if (context.now.node(instance.primary_node)?.offline) {
    warn(context, "Primary node offline, ignoring check that instance is down");
  } else if (await isRunning(context, instance)) {
    wrongState(`Instance ${instance.name} is running, ${why}`);
  }
}
