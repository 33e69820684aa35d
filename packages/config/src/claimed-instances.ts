/** Instances that claims are about. */
import type { Claim, ForthcomingInstance } from "@ganeti-ts/protocol";
import type { Snapshot } from "./snapshot.js";

/** Instances that are being created. O(claims). */
export const instancesToCome = (now: Snapshot): readonly ForthcomingInstance[] =>
  [...now.claims()].flatMap((claim) => (claim.kind === "creation" ? claim.instance : []));

/** Name of the instance that the claim is about; a reservation need not have one. */
export function instanceOfClaim(now: Snapshot, claim: Claim): string | undefined {
  switch (claim.kind) {
    case "creation":
      return claim.instance.name;
    case "commit":
      return now.instance(claim.reservation)?.name;
    case "space":
      return undefined;
    case "removal":
      return claim.running?.name;
    case "export":
      return claim.instanceName;
    case "recreation":
      return claim.disks.map((disk) => now.instanceOfDisk(disk)?.name).find((name) => name);
  }
}
