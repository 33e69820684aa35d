/** Removal of old copies that block the names of new ones. */

import type { ConfigChange, Snapshot } from "@ganeti-ts/config";
import type { DiskObject, InstanceObject, NodeUuid, RealDisk } from "@ganeti-ts/protocol";
import { clearHeld } from "../../clearing.js";
import type { World } from "../../unit/unit.js";
import { copiedDisk, replacedDisk } from "./old-copies.js";

/**
 * Removes old copies of these disks from a node that gets new ones under the same names. To be
 * called with the instance locked and another copy known to be good; devices that cannot be removed
 * stay held.
 */
export async function discardOldCopies(
  world: World,
  node: NodeUuid,
  disks: readonly RealDisk[],
): Promise<void> {
  const wanted = new Set<string>(disks.map(({ uuid }) => uuid));
  const now = world.config.snapshot;
  for (const held of now.heldInstances()) {
    const copies = now.disksOf(held);
    const isWanted = copies.every((one) => wanted.has(copiedDisk(one) ?? ""));
    if (copies.length === 0 || !isWanted || held.primary_node !== node) continue;
    const { snapshot } = await world.config.change((latest) => {
      const changes = latest.instance(held.uuid) === undefined ? [] : unmarking(latest, held);
      return { changes, value: undefined };
    }, world);
    const entry = snapshot.instance(held.uuid);
    if (entry?.forthcoming) await clearHeld(world, entry);
  }
}

/**
 * Lets recovery remove old copies of disks whose data are about to be removed: afterwards nothing could complete the disks,
 * and the copies would be kept for ever. To be called with the instance locked. O(held devices), without a change if
 * there are no copies.
 */
export async function releaseOldCopies(world: World, disks: readonly RealDisk[]): Promise<void> {
  const wanted = new Set<string>(disks.map(({ uuid }) => uuid));
  const isWanted = (copy: DiskObject) => wanted.has(copiedDisk(copy) ?? "");
  const copiesIn = (now: Snapshot) =>
    now.heldInstances().flatMap((held) => now.disksOf(held).filter(isWanted));
  if (copiesIn(world.config.snapshot).length === 0) return;
  await world.config.change((latest) => {
    return { changes: copiesIn(latest).map(unmarked), value: undefined };
  }, world);
}

/** The entry's devices stop being old copies and become plain leftovers. */
const unmarking = (now: Snapshot, held: InstanceObject): readonly ConfigChange[] =>
  now.disksOf(held).map(unmarked);

function unmarked(disk: DiskObject): ConfigChange {
  const { [replacedDisk]: _, ...params } = disk.params ?? {};
  return { kind: "put", type: "disk", object: { ...disk, params } as DiskObject };
}
