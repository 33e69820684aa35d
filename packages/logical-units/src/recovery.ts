/** Recovery: what jobs that died or failed have left behind is given up. */
import type { InstanceUuid, JobId } from "@ganeti-ts/protocol";
import { clearHeld, isThere, type RecoveryPorts } from "./clearing.js";

export type { RecoveryPorts } from "./clearing.js";

/**
 * Drops what is held by jobs that have ended or died, by `isOver`: first the devices on the nodes, then the
 * entry. Where a node keeps its devices, or does not answer, the entry holds what they take until the next time; so
 * do devices on offline nodes, and old copies of disks until their new copy is complete. To be called when a server
 * starts, after it has found others dead, and now and then; doing it twice does no harm. Gives the UUIDs of the
 * entries that were dropped.
 *
 * No locks are taken, and no living job is disturbed: minors, names of volumes and space of an entry are its own as long
 * as it is there, so that nobody else is given them before the devices are gone. Names that another job would give
 * again are those of a reservation that is made real, of a mirror on a new secondary, of what is moved to another node,
 * of snapshots and of an export: they are refused while the entry of a dead job is there.
 */
export async function recoverHeld(
  ports: RecoveryPorts,
  isOver: (job: JobId) => Promise<boolean>,
): Promise<readonly InstanceUuid[]> {
  const now = await ports.config.refresh();
  const dropped: InstanceUuid[] = [];
  for (const held of now.heldInstances()) {
    if (!held.forthcoming || held.held_by === undefined || !(await isOver(held.held_by))) continue;
    // It may have become real, or gone with another entry, since it was looked at.
    if (isThere(ports.config.snapshot, held)) dropped.push(...(await clearHeld(ports, held)));
  }
  return dropped;
}
