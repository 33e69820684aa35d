/** The note that a job is making a reservation real: if it dies, its devices are not a second share. */
import { type ConfigChange, newUuid, type Snapshot } from "@ganeti-ts/config";
import type { ForthcomingInstance, InstanceUuid } from "@ganeti-ts/protocol";
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

/** Takes the notes about a reservation away. */
export const commitMarksGone = (now: Snapshot, reservation: InstanceUuid): ConfigChange[] =>
  now.heldInstances().flatMap((held): ConfigChange[] => {
    if (!held.forthcoming || markedReservation(held) !== reservation) return [];
    return [{ kind: "remove", type: "instance", uuid: held.uuid }];
  });
