/** Consistency checks of a claim: no other object may have its names, numbers and devices. */
import type { Claim } from "@ganeti-ts/protocol";
import { devicesOfClaim, namesOfClaim, nodesOfClaim } from "../claims.js";
import type { Snapshot } from "../snapshot.js";
import { diskFaults } from "./disk-faults.js";
import { takenFaults } from "./instance-faults.js";

export function claimFaults(now: Snapshot, claim: Claim): readonly string[] {
  const label = `claim ${claim.uuid} of job ${claim.job}`;
  return [
    ...nodesOfClaim(claim)
      .filter((node) => now.node(node) === undefined)
      .map((node) => `${label} has invalid node '${node}'`),
    ...takenFaults(now, namesOfClaim(claim), label, true),
    ...devicesOfClaim(claim).flatMap((disk) => diskFaults(now, disk)),
  ];
}
