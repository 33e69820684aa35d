/**
 * Marked entries that a job holds while it makes a reservation real; the mark names the
 * reservation.
 */
import type { Snapshot } from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import type { LockRequest } from "@ganeti-ts/locking";
import type { ForthcomingInstance, InstanceUuid } from "@ganeti-ts/protocol";
import type { UnitContext } from "../../unit/context.js";
import { instanceLock } from "../../unit/locks.js";
import type { Form } from "./share-difference.js";

const commits = "commits";
const formerForm = "former";

export const asMark = (
  held: ForthcomingInstance,
  reservation: InstanceUuid,
): ForthcomingInstance => ({ ...held, osparams: { ...held.osparams, [commits]: reservation } });

/** The reservation that the job of a held entry makes real; undefined for other entries. */
export const markedReservation = (held: ForthcomingInstance): InstanceUuid | undefined =>
  held.osparams?.[commits] as InstanceUuid | undefined;

/** The mark with the reservation as it was, so that recovery can restore it. */
export const withFormer = (mark: ForthcomingInstance, former: Form): ForthcomingInstance => ({
  ...mark,
  osparams_private: { [formerForm]: JSON.stringify(former) },
});

/** The reservation that an instance was before the commit that its marks are about. O(held). */
export function formerOf(now: Snapshot, instance: InstanceUuid): Form | undefined {
  const texts = commitMarks(now, instance).flatMap(
    ({ osparams_private }) => osparams_private?.[formerForm] ?? [],
  );
  return texts[0] === undefined ? undefined : (JSON.parse(String(texts[0])) as Form);
}

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

/**
 * Refuses operations that lock an instance whose commit died: recovery, which takes no locks, makes it a reservation again
 * and removes its disks, unless it runs. @throws PrereqError `temp_insufficient_resources`
 */
export function checkFinished(
  context: Pick<UnitContext, "now" | "jobId">,
  locks: readonly LockRequest[],
): void {
  const { now } = context;
  for (const held of now.heldInstances()) {
    const uuid = held.forthcoming ? markedReservation(held) : undefined;
    const instance = uuid === undefined ? undefined : now.instance(uuid);
    if (instance === undefined || instance.forthcoming) continue;
    const own = instanceLock(instance);
    if (locks.some(({ lock, mode }) => lock === own && mode === "exclusive")) {
      checkUnmarked(context, instance.uuid);
    }
  }
}
