/**
 * Removal of a stopped instance: its disks from their nodes, then its objects from the
 * configuration.
 */

import { realDisksOf, removalChanges } from "@ganeti-ts/config";
import { ExecError } from "@ganeti-ts/job-queue";
import type { ClaimOf, RealInstance } from "@ganeti-ts/protocol";
import { claimOfRunning, putting } from "../capacity/claim.js";
import { applied, contextAt, type UnitContext } from "../unit/unit.js";
import { claimsOfLeft, removeDisks } from "./create/creation.js";
import { releaseOldCopies } from "./replacement/discard.js";

interface RemovalOptions {
  readonly ignoreFailures: boolean;
  /** Whether it is certain that the instance has been stopped. Default: true. */
  readonly isStopped?: boolean;
}

/** @throws ExecError if a disk may be left and failures are not ignored */
export async function removeWithDisks(
  context: UnitContext,
  instance: RealInstance,
  { ignoreFailures, isStopped = true }: RemovalOptions,
): Promise<void> {
  const disks = realDisksOf(context.now, instance);
  await releaseOldCopies(context, disks);
  const { ok, left } = await removeDisks(context, instance, disks);
  if (!ok) {
    if (!ignoreFailures) throw new ExecError("Can't remove instance's disks");
    context.log("Warning: can't remove instance's disks");
  }
  await applied(context, (latest) => {
    const then = contextAt(context, latest);
    const claims = claimsWithRunning(then, claimsOfLeft(then, left), instance, isStopped);
    const changes = [...removalChanges(latest, [instance.uuid]), ...claims.map(putting)];
    return changes;
  });
}

/**
 * Adds to the claims that the instance may still run there: on the primary node, with or without devices, unless that has
 * stopped it; on other nodes since a migration that was not finished.
 */
function claimsWithRunning(
  context: UnitContext,
  claims: readonly ClaimOf<"removal">[],
  instance: RealInstance,
  isStopped: boolean,
): readonly ClaimOf<"removal">[] {
  const { primary_node: primary } = instance;
  const marked = claims.map((claim) =>
    isStopped && claim.node === primary
      ? claim
      : claimOfRunning(context, claim.node, instance, claim),
  );
  const isPrimaryThere = claims.some(({ node }) => node === primary);
  if (isStopped || isPrimaryThere) return marked;
  return [...marked, claimOfRunning(context, primary, instance)];
}
