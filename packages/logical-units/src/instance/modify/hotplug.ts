/** Hotplugging: devices added and removed while an instance runs. */

import { diskOnNode, instanceOnNode } from "@ganeti-ts/config";
import type { HotplugDevice } from "@ganeti-ts/node-calls";
import type { RealDisk, RealInstance } from "@ganeti-ts/protocol";
import { ask, info, warn } from "../../unit/effects.js";
import { contextAt, type World } from "../../unit/unit.js";
import { isRunning } from "../running/running.js";

/**
 * Whether devices can be hotplugged; the log contains the reason if not. False for an instance that
 * does not run.
 */
export async function canHotplug(world: World, instance: RealInstance): Promise<boolean> {
  const now = world.config.snapshot;
  if (now.node(instance.primary_node)?.offline) return false;
  if (!(await isRunning(contextAt(world, now), instance))) return false;
  const answer = await ask(world, instance.primary_node, "hotplug_supported", {
    instance: instanceOnNode(now, instance),
  });
  if (answer.ok) return true;
  warn(world, answer.message);
  info(world, "Modification will take place without hotplugging.");
  return false;
}

/** Returns the entry for the result. */
export async function hotplug(
  world: World,
  instance: RealInstance,
  action: "add" | "remove" | "modify",
  what: HotplugDevice,
): Promise<"hotplug:done" | "hotplug:failed"> {
  info(world, "Trying to hotplug device...");
  const answer = await ask(world, instance.primary_node, "hotplug_device", {
    instance: instanceOnNode(world.config.snapshot, instance),
    action,
    what,
  });
  if (answer.ok) {
    info(world, "Hotplug done.");
    return "hotplug:done";
  }
  warn(world, `Could not hotplug device: ${answer.message}`);
  info(world, "Continuing execution..");
  return "hotplug:failed";
}

/**
 * The guest of a running instance sees the new size of a grown disk: a node that can plug devices tells QEMU of it, Ganeti's
 * nodes do nothing. Else the log says that the size is seen after a restart.
 */
export async function announceSize(
  world: World,
  { uuid }: RealInstance,
  disk: RealDisk,
  index: number,
): Promise<void> {
  const now = world.config.snapshot;
  const instance = now.instance(uuid);
  if (instance === undefined || instance.forthcoming || instance.hypervisor === "fake") return;
  if (!(await isRunning(contextAt(world, now), instance))) return;
  const answer = await ask(world, instance.primary_node, "hotplug_device", {
    instance: instanceOnNode(now, instance),
    action: "modify",
    what: { type: "disk", device: diskOnNode(now, instance, disk), index, extra: null },
  });
  if (answer.ok) return;
  warn(world, `The instance sees the new size of disk ${index} after a restart: ${answer.message}`);
}
