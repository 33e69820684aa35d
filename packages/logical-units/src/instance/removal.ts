/**
 * Removal of a stopped instance: its disks from their nodes, then its objects from the
 * configuration.
 */

import { realDisksOf, removalChanges } from "@ganeti-ts/config";
import { ExecError } from "@ganeti-ts/job-queue";
import type { RealInstance } from "@ganeti-ts/protocol";
import { putting } from "../capacity/claim.js";
import { contextAt, type UnitContext } from "../unit/context.js";
import { claimsOfLeft, removeDisks } from "./create/creation.js";
import { releaseOldCopies } from "./replacement/discard.js";

/** @throws ExecError if a disk may be left and failures are not ignored */
export async function removeWithDisks(
  context: UnitContext,
  instance: RealInstance,
  ignoreFailures: boolean,
): Promise<void> {
  const disks = realDisksOf(context.now, instance);
  await releaseOldCopies(context, disks);
  const { ok, left } = await removeDisks(context, instance, disks);
  if (!ok) {
    if (!ignoreFailures) throw new ExecError("Can't remove instance's disks");
    context.log("Warning: can't remove instance's disks");
  }
  await context.config.change((latest) => {
    const claims = claimsOfLeft(contextAt(context, latest), left);
    const changes = [...removalChanges(latest, [instance.uuid]), ...claims.flatMap(putting)];
    return { changes, value: undefined };
  }, context);
}
