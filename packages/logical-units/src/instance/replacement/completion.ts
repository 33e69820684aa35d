/** The last two steps of every replacement: synchronising, and removing what was replaced. */
import { step } from "../../unit/feedback.js";
import { nodeLock, nodeResourceLock } from "../../unit/locks.js";
import type { World } from "../../unit/unit.js";
import { waitForSync } from "../disks/sync.js";
import {
  checkReplaced,
  type OldStorage,
  type Replacement,
  removeOldStorage,
  stepsTotal,
} from "./replacement.js";

/** @throws ExecError if it is degraded afterwards; then old storage that was to be removed last stays. */
export async function completeReplacement(
  world: World,
  replacement: Replacement,
  replaced: readonly OldStorage[],
): Promise<void> {
  const { target, other, newNode, earlyRelease, instance } = replacement;
  const nodes = [target, other, ...(newNode === undefined ? [] : [newNode])];
  const remove = async (number: number) => {
    step(world, number, stepsTotal, "Removing old storage");
    await removeOldStorage(world, replacement, replaced);
  };
  if (earlyRelease) {
    await remove(5);
    await world.release(nodes.map(nodeResourceLock));
  }
  await world.release(nodes.map(nodeLock));
  step(world, earlyRelease ? 6 : 5, stepsTotal, "Sync devices");
  // Disks that are not replaced may be degraded, and are nobody's concern here.
  await waitForSync(world, instance);
  await checkReplaced(world, replacement, replaced);
  if (!earlyRelease) await remove(6);
}
