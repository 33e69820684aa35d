/** Removing a stopped instance: its disks from their nodes, then all of it from the configuration. */
import { removalChanges, type Snapshot } from "@ganeti-ts/config";
import type { RealInstance } from "@ganeti-ts/protocol";
import { ExecError } from "../errors.js";
import type { World } from "../unit.js";
import { removeDisks } from "./creation.js";
import { realDisksOf } from "./state.js";

/** @throws ExecError if a disk may be left, unless that does not matter */
export async function removeWithDisks(
  world: World,
  now: Snapshot,
  instance: RealInstance,
  ignoreFailures: boolean,
): Promise<void> {
  if (!(await removeDisks(world, now, instance, realDisksOf(now, instance)))) {
    if (!ignoreFailures) throw new ExecError("Can't remove instance's disks");
    world.log("Warning: can't remove instance's disks");
  }
  await world.config.change((latest) => {
    return { changes: removalChanges(latest, [instance.uuid]), value: undefined };
  }, world);
}
