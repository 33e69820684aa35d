/**
 * Marked entries that a job holds while it makes a reservation real; the mark names the
 * reservation.
 */
import type { Snapshot } from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import type { ForthcomingInstance, InstanceUuid } from "@ganeti-ts/protocol";
import type { UnitContext } from "../../unit/context.js";

const commits = "commits";

export const asMark = (
  held: ForthcomingInstance,
  reservation: InstanceUuid,
): ForthcomingInstance => ({ ...held, osparams: { ...held.osparams, [commits]: reservation } });

/** The reservation that the job of a held entry makes real; undefined for other entries. */
export const markedReservation = (held: ForthcomingInstance): InstanceUuid | undefined =>
  held.osparams?.[commits] as InstanceUuid | undefined;

/** All entries that jobs hold to make the reservation real. O(held). */
export const commitMarks = (
  now: Snapshot,
  reservation: InstanceUuid,
): readonly ForthcomingInstance[] =>
  now
    .heldInstances()
    .flatMap((held) => (held.forthcoming && markedReservation(held) === reservation ? held : []));

/**
 * Refuses while a mark of another job exists: since the reservation is locked, that job has died,
 * and its devices are still to be removed from the reservation's nodes. Recovery does that without
 * locks; until it reaches a node, no operation creates devices that are in its way, and the
 * reservation stays unchanged. @throws PrereqError `temp_insufficient_resources`
 */
export function checkUnmarked(
  { jobId, now }: Pick<UnitContext, "now" | "jobId">,
  reservation: InstanceUuid,
): void {
  const mark = commitMarks(now, reservation).find(({ held_by }) => held_by !== jobId);
  if (mark === undefined) return;
  const name = now.instance(reservation)?.name ?? reservation;
  const text = `Leftovers of job ${mark.held_by} of instance ${name} are not removed yet, try again later`;
  throw new PrereqError("temp_insufficient_resources", text);
}
