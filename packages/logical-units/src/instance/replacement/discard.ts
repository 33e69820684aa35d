/** Removal of old copies that block the names of new ones. */

import { claimsOfKind, type Snapshot } from "@ganeti-ts/config";
import type { ClaimedDisk, ClaimOf, NodeUuid, RealDisk } from "@ganeti-ts/protocol";
import { putting } from "../../capacity/claim.js";
import { clearClaim } from "../../clearing/clear-claim.js";
import { applied, type World } from "../../unit/unit.js";

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
  const now = world.config.snapshot;
  const isWanted = isCopyOfOne(disks);
  for (const { uuid, node: where, disks: copies } of claimsOfKind(now, "removal")) {
    if (copies.length === 0 || !copies.every(isWanted) || where !== node) continue;
    const snapshot = await applied(world, (latest) => {
      const claims = claimsOfKind(latest, "removal").filter((one) => one.uuid === uuid);
      return claims.map((claim) => unmarking(claim, isWanted));
    });
    const claim = snapshot.claim(uuid);
    if (claim !== undefined) await clearClaim(world, claim);
  }
}

/**
 * Lets recovery remove old copies of disks whose data are about to be removed: afterwards nothing could complete the disks,
 * and the copies would be kept for ever. To be called with the instance locked. O(claimed devices), without a change if
 * there are no copies.
 */
export async function releaseOldCopies(world: World, disks: readonly RealDisk[]): Promise<void> {
  const isWanted = isCopyOfOne(disks);
  const claimsIn = (now: Snapshot) =>
    claimsOfKind(now, "removal").filter((claim) => claim.disks.some(isWanted));
  if (claimsIn(world.config.snapshot).length === 0) return;
  await applied(world, (latest) => {
    const changes = claimsIn(latest).map((claim) => unmarking(claim, isWanted));
    return changes;
  });
}

function isCopyOfOne(disks: readonly RealDisk[]): (copy: ClaimedDisk) => boolean {
  const uuids: ReadonlySet<unknown> = new Set(disks.map(({ uuid }) => uuid));
  return ({ copyOf }) => uuids.has(copyOf);
}

/** These devices of the claim stop being old copies and become plain leftovers. */
const unmarking = (claim: ClaimOf<"removal">, isWanted: (copy: ClaimedDisk) => boolean) =>
  putting({ ...claim, disks: claim.disks.map((one) => (isWanted(one) ? unmarked(one) : one)) });

const unmarked = ({ copyOf: _, ...disk }: ClaimedDisk): ClaimedDisk => disk;
