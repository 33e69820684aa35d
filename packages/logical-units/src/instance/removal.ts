/** Removing a stopped instance: its disks from their nodes, then all of it from the configuration. */

import { realDisksOf, removalChanges, type Snapshot } from "@ganeti-ts/config";
import { ExecError } from "@ganeti-ts/job-queue";
import type { RealInstance } from "@ganeti-ts/protocol";
import { putting } from "../capacity/claim.js";
import type { World } from "../unit/unit.js";
import { claimsOfLeft, removeDisks } from "./create/creation.js";

/** @throws ExecError if a disk may be left, unless that does not matter */
export async function removeWithDisks(
  world: World,
  now: Snapshot,
  instance: RealInstance,
  ignoreFailures: boolean,
): Promise<void> {
  const { ok, left } = await removeDisks(world, now, instance, realDisksOf(now, instance));
  if (!ok) {
    if (!ignoreFailures) throw new ExecError("Can't remove instance's disks");
    world.log("Warning: can't remove instance's disks");
  }
  await world.config.change((latest) => {
    const claims = claimsOfLeft(world, latest, left);
    const changes = [...removalChanges(latest, [instance.uuid]), ...claims.flatMap(putting)];
    return { changes, value: undefined };
  }, world);
}
