/** Search for any place of an instance after which all nodes can still be emptied. */

import { secondaryMisfit } from "../fit/fitting.js";
import { fits } from "../fit/misfit.js";
import type { Placement } from "../fit/move.js";
import { addPrimary, addSecondary } from "../fit/placing.js";
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import type { CapacityCheck } from "../n1/capacity-check.js";
import { singleMisfits } from "./assessment.js";
import type { CapacityScope } from "./scope.js";

/** Whether there is such a place; scores do not matter. */
export const hasN1Place = (
  cluster: Cluster,
  { copies, groups }: CapacityScope,
  instance: Instance,
  capacity: CapacityCheck,
): boolean =>
  !capacity.hopeless &&
  groups.some((nodes) => {
    const misfits = singleMisfits(cluster, nodes, instance);
    return nodes.some((primary, at) => {
      if (misfits[at] !== fits) return false;
      if (capacity.decidedFor(primary) === false) return false;
      const secondaries = copies === 1 ? [-1] : nodes.filter((node) => node !== primary);
      return secondaries.some((secondary) =>
        passesOn(cluster, instance, capacity, { primary, secondary, locationScore: 0 }),
      );
    });
  });

function passesOn(
  cluster: Cluster,
  instance: Instance,
  capacity: CapacityCheck,
  placement: Placement,
): boolean {
  const { primary, secondary } = placement;
  const isMirrored = secondary >= 0;
  if (isMirrored && secondaryMisfit(cluster, instance, secondary, primary, false) !== fits) {
    return false;
  }
  const index = cluster.instanceCount;
  const locationScore = isMirrored ? cluster.sharedLocations(primary, secondary) : 0;
  const mark = cluster.mark();
  addPrimary(cluster, instance, index, primary, false, locationScore);
  if (isMirrored) addSecondary(cluster, instance, index, secondary, primary, false);
  const passed = capacity.passes({ ...placement, locationScore });
  cluster.rollback(mark);
  return passed;
}
