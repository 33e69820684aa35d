/** Claims by kind, and the instances that they are about. */
import type { Claim, ClaimKind, ClaimOf, ForthcomingInstance } from "@ganeti-ts/protocol";
import type { Snapshot } from "./snapshot.js";

/** The claims of one kind. O(claims). */
export const claimsOfKind = <Kind extends ClaimKind>(now: Snapshot, kind: Kind) =>
  [...now.claims()].filter((claim): claim is ClaimOf<Kind> => claim.kind === kind);

/** Instances that are being created. O(claims). */
export const instancesToCome = (now: Snapshot): readonly ForthcomingInstance[] =>
  claimsOfKind(now, "creation").map(({ instance }) => instance);

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
