/** The last two steps of every replacement: synchronisation, and removal of the old storage. */

import type { Claim } from "@ganeti-ts/protocol";
import { giveUpClaims } from "../../capacity/with-claims.js";
import { step } from "../../unit/effects.js";
import { nodeLock, nodeResourceLock } from "../../unit/locks.js";
import type { World } from "../../unit/unit.js";
import { waitForSync } from "../disks/sync.js";
import type { OldStorage, Replacement } from "./replacement.js";
import { checkReplaced, removeOldStorage, stepsTotal } from "./replacement.js";

/**
 * `old` is the claim on the replaced storage; it stays for devices that could not be removed.
 * @throws ExecError if a disk is degraded afterwards; then old storage that was to be removed last
 * stays claimed
 */
export async function completeReplacement(
  world: World,
  replacement: Replacement,
  replaced: readonly OldStorage[],
  old: Claim | undefined,
): Promise<void> {
  const { target, other, newNode, earlyRelease, instance } = replacement;
  const nodes = [target, other, ...(newNode === undefined ? [] : [newNode])];
  const remove = async (number: number) => {
    step(world, number, stepsTotal, "Removing old storage");
    const isGone = await removeOldStorage(world, replacement, replaced);
    if (isGone && old !== undefined) await giveUpClaims(world, [old]);
  };
  if (earlyRelease) {
    await remove(5);
    await world.release(nodes.map(nodeResourceLock));
  }
  await world.release(nodes.map(nodeLock));
  step(world, earlyRelease ? 6 : 5, stepsTotal, "Sync devices");
  // Disks that are not replaced may be degraded without an error here.
  await waitForSync(world, instance);
  await checkReplaced(world, replacement, replaced);
  if (!earlyRelease) await remove(6);
}
