/** What jobs that died have left behind: what they held is given up. */
import { type Configuration, diskOnNode, removalChanges, type Snapshot } from "@ganeti-ts/config";
import type { NodeBackend } from "@ganeti-ts/node-calls";
import type {
  CancelSignal,
  DiskObject,
  ForthcomingInstance,
  InstanceUuid,
  JobId,
  NodeUuid,
  RealDisk,
  RealInstance,
} from "@ganeti-ts/protocol";
import { markedReservation, marksOf } from "./instance/create/commit-mark.js";
import { adoptedMark } from "./instance/create/disks.js";
import { forthcomingDisk, realInstance } from "./instance/create/reservation.js";
import { nodesOfDisk } from "./instance/disks/activation.js";
import { ask } from "./unit/calls.js";

export interface RecoveryPorts {
  readonly config: Configuration;
  readonly nodes: NodeBackend;
  /** Of the worker that does this. */
  readonly lease: string;
  readonly signal: CancelSignal;
}

/**
 * Drops what is held by jobs that have ended or died, by `isOver`: first the devices on the nodes, then the
 * entry. Where a node keeps its devices, or does not answer without being offline, the entry holds what they
 * take, until the next time. To be called when a server starts, after it has found others dead, and now and
 * then; doing it twice does no harm. Gives the UUIDs of what was dropped.
 *
 * No locks are taken, and no living job is disturbed: minors, names of volumes and space of an entry are its own as long
 * as it is there, so that nobody else is given them before the devices are gone. Names that another job would give
 * again are those of a reservation that is made real, of a mirror on a new secondary and of what is moved to another node:
 * they are refused while the entry of a dead job is there.
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
    if (!isThere(ports.config.snapshot, held) || !(await removeDevices(ports, held))) continue;
    const { value } = await ports.config.change((latest) => {
      const uuids = isThere(latest, held) ? togetherWith(latest, held) : [];
      return { changes: removalChanges(latest, uuids), value: uuids };
    }, ports);
    dropped.push(...value);
  }
  return dropped;
}

function isThere(now: Snapshot, { uuid }: ForthcomingInstance): boolean {
  const entry = now.instance(uuid);
  return entry?.forthcoming === true && entry.held_by !== undefined;
}

/** What a job held to make a reservation real goes together. */
function togetherWith(now: Snapshot, held: ForthcomingInstance): readonly InstanceUuid[] {
  const reservation = markedReservation(held);
  return (reservation === undefined ? [held] : marksOf(now, reservation)).map(({ uuid }) => uuid);
}

/**
 * Of a creation its disks; of a reservation that was being made real those that it was to have, unless it is real. A
 * volume that was to be adopted gets its name back. What a claim holds may have devices or not. Gives whether all are gone.
 */
async function removeDevices(ports: RecoveryPorts, held: ForthcomingInstance): Promise<boolean> {
  const now = ports.config.snapshot;
  const reservation = markedReservation(held);
  const entry = reservation === undefined ? held : now.instance(reservation);
  if (entry?.primary_node === undefined || !entry.forthcoming) return true;
  const instance = realInstance(entry);
  let areGone = true;
  for (const reserved of reservation === undefined ? now.disksOf(held) : toBeMade(now, entry)) {
    if (reserved.dev_type === undefined || reserved.logical_id === undefined) continue;
    const disk = forthcomingDisk(reserved as RealDisk, false);
    // What a claim holds of a mirror is on one node.
    const nodes = nodesOfDisk(disk, entry.primary_node).filter(
      (node: NodeUuid | null) => node !== null,
    );
    const adopted = reserved.params?.[adoptedMark];
    const spared =
      typeof adopted !== "string" || (await nameGivenBack(ports, now, instance, disk, adopted))
        ? undefined
        : entry.primary_node;
    for (const node of nodes.filter((one) => one !== spared)) {
      for (const part of [disk, ...disk.children]) {
        const device = { disk: diskOnNode(now, instance, part) };
        const answer = await ask(ports, node, "blockdev_remove", device);
        areGone &&= answer.ok || answer.offline;
      }
    }
  }
  return areGone;
}

/** Other disks, if it was to get others, all of them; what is held of space has a node, and no devices. */
function toBeMade(now: Snapshot, reservation: ForthcomingInstance): readonly DiskObject[] {
  const others = marksOf(now, reservation.uuid).flatMap((mark) =>
    mark.primary_node === undefined ? now.disksOf(mark) : [],
  );
  return others.length > 0 ? others : now.disksOf(reservation);
}

/** Only then may what was made beside it be removed. */
async function nameGivenBack(
  ports: RecoveryPorts,
  now: Snapshot,
  instance: RealInstance,
  disk: RealDisk,
  name: string,
): Promise<boolean> {
  for (const node of nodesOfDisk(disk, instance.primary_node)) {
    await ask(ports, node, "blockdev_shutdown", { disk: diskOnNode(now, instance, disk) });
  }
  const volume = disk.children[0] ?? disk;
  const logicalId = [volume.logical_id[0] ?? null, name];
  const renames = [{ disk: diskOnNode(now, instance, volume), logicalId }];
  const { ok } = await ask(ports, instance.primary_node, "blockdev_rename", { renames });
  if (ok) return true;
  // It may never have been given the other name.
  const groups = [String(volume.logical_id[0])];
  const listed = await ask(ports, instance.primary_node, "lv_list", { volumeGroups: groups });
  return listed.ok && listed.value.some((one) => one.name === name);
}
