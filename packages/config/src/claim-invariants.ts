/** checkClaims: what must be true of each claim that a change writes. */
import { Claim, invariant } from "@ganeti-ts/protocol";
import { devicesOfClaim } from "./claims.js";
import { livingDisk } from "./living-disk.js";
import type { ConfigChange } from "./objects.js";
import type { Snapshot } from "./snapshot.js";

/**
 * A claim decides what recovery removes from nodes. O(written claims * log n).
 * @throws InvariantError before anything is stored
 */
export function checkClaims(
  before: Snapshot,
  after: Snapshot,
  changes: readonly ConfigChange[],
): void {
  for (const change of changes) {
    if (change.kind !== "put" || change.type !== "claim") continue;
    const { object: claim } = change;
    const about = `claim ${claim.uuid} of job ${claim.job}`;
    const was = before.claim(claim.uuid) ?? claim;
    invariant(
      was.kind === claim.kind && was.job === claim.job,
      () => `${about}: was one of kind ${was.kind} of job ${was.job}, and would be ${claim.kind}`,
    );
    // Amounts above all, which the type does not bound: a server could not open the configuration any more.
    const { error } = Claim.safeParse(claim);
    invariant(
      error === undefined,
      () => `${about}: ${error?.issues[0]?.path.join("/")}: ${error?.issues[0]?.message}`,
    );
    for (const device of devicesOfClaim(claim)) {
      for (const node of device.nodes) {
        const living = livingDisk(after, device, node);
        invariant(
          living === undefined,
          () => `${about}: would hold a volume of disk ${living?.uuid}`,
        );
      }
    }
  }
}
