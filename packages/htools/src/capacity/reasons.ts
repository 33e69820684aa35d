/** Reasons of the failures of an attempt, by frequency. */
import { type Misfit, type MisfitCounts, misfitNames } from "../fit/misfit.js";

/** All reasons, the most frequent first; of equally frequent ones the last first. */
export function byCount(failures: MisfitCounts): readonly Misfit[] {
  const reasons = misfitNames.map((_, misfit) => misfit);
  reasons.sort((a, b) => failures.of(b) - failures.of(a) || b - a);
  return reasons;
}

/** The first reason of `byCount`. */
export function mostFrequent(failures: MisfitCounts): Misfit {
  let most = 0;
  for (let misfit = 1; misfit < misfitNames.length; misfit++) {
    if (failures.of(misfit) >= failures.of(most)) most = misfit;
  }
  return most;
}
