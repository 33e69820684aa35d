/** What jobs that died have left behind: what they held is given up. */
import type { Configuration } from "@ganeti-ts/config";
import type { CancelSignal } from "@ganeti-ts/locking";
import type { ForthcomingInstance, InstanceUuid, JobId, RealDisk } from "@ganeti-ts/protocol";
import { ask } from "./calls.js";
import { nodesOfDisk } from "./instance/activation.js";
import { markedReservation } from "./instance/create/commit-mark.js";
import { adoptedMark } from "./instance/create/disks.js";
import { forthcomingDisk, realInstance } from "./instance/create/reservation.js";
import { diskOnNode } from "./instance/on-node.js";
import { removalOf } from "./instance/removal.js";
import type { NodeBackend } from "./nodes/node-backend.js";

export interface RecoveryPorts {
  readonly config: Configuration;
  readonly nodes: NodeBackend;
  /** Of the worker that does this. */
  readonly lease: string;
  readonly signal: CancelSignal;
}

/**
 * Drops what is held by jobs that have ended or died, by `isOver`: first the devices on the nodes, as
 * far as these answer, then the entry. To be called when a server starts, and after it has found others
 * dead; doing it twice does no harm. Gives the UUIDs of what was dropped.
 */
export async function recoverHeld(
  ports: RecoveryPorts,
  isOver: (job: JobId) => Promise<boolean>,
): Promise<readonly InstanceUuid[]> {
  const now = await ports.config.refresh();
  const dropped: InstanceUuid[] = [];
  for (const held of now.heldInstances()) {
    if (!held.forthcoming || held.held_by === undefined || !(await isOver(held.held_by))) continue;
    await removeDevices(ports, held);
    await ports.config.change((latest) => {
      const entry = latest.instance(held.uuid);
      // It may have become real since it was looked at.
      if (!entry?.forthcoming || entry.held_by === undefined) return nothing;
      return { changes: removalOf(latest, held.uuid), value: undefined };
    }, ports);
    dropped.push(held.uuid);
  }
  return dropped;
}

const nothing = { changes: [], value: undefined };

/**
 * Of a creation its disks; of a reservation that was being made real the same, unless it is real. A volume
 * that was to be adopted gets its name back. What a claim holds has no devices.
 */
async function removeDevices(ports: RecoveryPorts, held: ForthcomingInstance): Promise<void> {
  const now = ports.config.snapshot;
  const reservation = markedReservation(held);
  const entry = reservation === undefined ? held : now.instance(reservation);
  if (entry?.primary_node === undefined || !entry.forthcoming) return;
  const instance = realInstance(entry);
  for (const reserved of now.disksOf(entry)) {
    if (reserved.dev_type === undefined || reserved.logical_id === undefined) continue;
    const disk = forthcomingDisk(reserved as RealDisk, false);
    const adopted = reserved.params?.[adoptedMark];
    if (adopted !== undefined) {
      const logicalId = [disk.logical_id[0] ?? null, adopted as string];
      const renames = [{ disk: diskOnNode(now, instance, disk), logicalId }];
      await ask(ports, entry.primary_node, "blockdev_rename", { renames });
      continue;
    }
    for (const node of nodesOfDisk(disk, entry.primary_node)) {
      for (const part of [disk, ...disk.children]) {
        await ask(ports, node, "blockdev_remove", { disk: diskOnNode(now, instance, part) });
      }
    }
  }
}
