/** The note that a job is making a reservation real: if it dies, its devices are not a second share. */
import { type ConfigChange, newUuid, type Snapshot } from "@ganeti-ts/config";
import type { ForthcomingInstance, InstanceUuid } from "@ganeti-ts/protocol";
import { PrereqError } from "../../errors.js";
import type { World } from "../../unit.js";

const commits = "commits";

/** An entry that takes nothing, held by the job. */
export const commitMark = (
  now: Snapshot,
  { config, jobId }: Pick<World, "config" | "jobId">,
  reservation: InstanceUuid,
): ForthcomingInstance => ({
  uuid: newUuid(now, config.random),
  ...{ forthcoming: true, held_by: jobId, nics: [], disks: [], tags: [] },
  osparams: { [commits]: reservation },
});

/** The reservation that a held entry is the note of; undefined for other entries. */
export const markedReservation = (held: ForthcomingInstance): InstanceUuid | undefined =>
  held.osparams?.[commits] as InstanceUuid | undefined;

/**
 * Refuses while the note of another job is there: that one has died, as the reservation is locked, and what it made is
 * still to be removed, by what the reservation says. Recovery does that without locks; while it does not get through to
 * a node, nobody makes anything in its way, and the reservation stays as it is and where it is.
 * @throws PrereqError `temp_insufficient_resources`
 */
export function checkUnmarked(
  now: Snapshot,
  { jobId }: Pick<World, "jobId">,
  reservation: InstanceUuid,
): void {
  for (const held of now.heldInstances()) {
    if (!held.forthcoming || held.held_by === jobId) continue;
    if (markedReservation(held) !== reservation) continue;
    const name = now.instance(reservation)?.name ?? reservation;
    const text = `What job ${held.held_by} has left of instance ${name} is not removed yet, try again later`;
    throw new PrereqError("temp_insufficient_resources", text);
  }
}

/** Takes the notes about a reservation away. */
export const commitMarksGone = (now: Snapshot, reservation: InstanceUuid): ConfigChange[] =>
  now.heldInstances().flatMap((held): ConfigChange[] => {
    if (!held.forthcoming || markedReservation(held) !== reservation) return [];
    return [{ kind: "remove", type: "instance", uuid: held.uuid }];
  });
