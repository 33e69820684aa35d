/** Whom another policy of the cluster excludes. */

import { instanceLabel } from "@ganeti-ts/cluster-queries";
import { policyViolations, type Snapshot } from "@ganeti-ts/config";
import { compareNaturally } from "@ganeti-ts/protocol";
import { instancesOfGroup } from "../network/conflicts.js";

/** Instances that were as their group wanted them, and no longer are. O(instances). */
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
