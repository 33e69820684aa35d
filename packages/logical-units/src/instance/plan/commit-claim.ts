/** The claim that a job holds while it makes a reservation real. */
import { claimsOfKind, type Snapshot } from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import type { LockRequest } from "@ganeti-ts/locking";
import type { ClaimOf, InstanceUuid } from "@ganeti-ts/protocol";
import { instanceLock } from "../../unit/locks.js";
import type { UnitContext } from "../../unit/unit.js";

/** The claim of the job that makes the reservation real, or has made it real. O(claims). */
export const claimOfCommit = (
  now: Snapshot,
  reservation: InstanceUuid,
): ClaimOf<"commit"> | undefined =>
  claimsOfKind(now, "commit").find((claim) => claim.reservation === reservation);

/**
 * Refuses while another job holds a claim on the reservation: since the reservation is locked, that job has died,
 * and its devices are still to be removed from the reservation's nodes. Recovery does that without
 * locks; until it reaches a node, no operation creates devices that are in its way, and the
 * reservation stays unchanged. @throws PrereqError `temp_insufficient_resources`
 */
export function checkNotCommitted(
  { jobId, now }: Pick<UnitContext, "now" | "jobId">,
  reservation: InstanceUuid,
): void {
  const claim = claimOfCommit(now, reservation);
  if (claim === undefined || claim.job === jobId) return;
  const name = now.instance(reservation)?.name ?? reservation;
  const text = `Leftovers of job ${claim.job} of instance ${name} are not removed yet, try again later`;
  throw new PrereqError("temp_insufficient_resources", text);
}

/**
 * Refuses operations that lock an instance whose commit died: recovery, which takes no locks, makes it a reservation again
 * and removes its disks, unless it runs. @throws PrereqError `temp_insufficient_resources`
 */
export function checkFinished(
  context: Pick<UnitContext, "now" | "jobId">,
  locks: readonly LockRequest[],
): void {
  for (const { reservation } of claimsOfKind(context.now, "commit")) {
    const instance = context.now.instance(reservation);
    if (instance === undefined || instance.forthcoming) continue;
    const own = instanceLock(instance);
    if (locks.some(({ lock, mode }) => lock === own && mode === "exclusive")) {
      checkNotCommitted(context, reservation);
    }
  }
}
