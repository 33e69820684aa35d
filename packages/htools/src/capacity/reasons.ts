/** Which reason weighs most among the failures of an attempt. */
import { type Misfit, type MisfitCounts, misfitNames } from "../misfit.js";

/** All reasons, the most frequent first; of equally frequent ones the last first. */
export function byCount(failures: MisfitCounts): readonly [Misfit, ...Misfit[]] {
  const reasons = misfitNames.map((_, misfit) => misfit);
  reasons.sort((a, b) => failures.of(b) - failures.of(a) || b - a);
  return reasons as [Misfit, ...Misfit[]];
}
