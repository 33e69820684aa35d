/** Instances that violate the policies only after a change of the cluster's policy. */

import { instanceLabel } from "@ganeti-ts/cluster-queries";
import { policyViolations, type Snapshot } from "@ganeti-ts/config";
import { compareNaturally } from "@ganeti-ts/protocol";
import { instancesOfGroup } from "../network/conflicts.js";

/** Instances that met their group's policy and no longer do. O(instances). */
export function newViolations(before: Snapshot, after: Snapshot): readonly string[] {
  return Array.from(before.groups())
    .flatMap((group) =>
      instancesOfGroup(before, group).filter(
        (instance) =>
          policyViolations(after, instance, group).length > 0 &&
          policyViolations(before, instance, group).length === 0,
      ),
    )
    .map(instanceLabel)
    .sort(compareNaturally);
}
