/**
 * Places instances of a size until none fits any more, then of a smaller one, and so on: shrinking by
 * what instances fail for most.
 *
 * Source: Ganeti, HTools/Cluster.hs (`tieredAlloc`). There every size that does not fit calls for the
 * next smaller one, and if that came to nothing in the end, for a search in all other directions: from
 * the smallest of the chain back to the largest. Here the chain is a list, walked back.
 */
import type { MisfitCounts } from "../fit/misfit.js";
import { type CapacitySteps, fixedRun } from "./fixed-run.js";
import { otherSize } from "./other-size.js";
import { mostFrequent } from "./reasons.js";
import type { Session } from "./session.js";
import { shrink, type TrialSpec } from "./trial.js";

/** A size that was tried in the present state, and what comes of it if nothing smaller fits. */
interface Level {
  readonly spec: TrialSpec;
  readonly failures: MisfitCounts;
  /** How many may be placed at the next size. */
  readonly limit: number | undefined;
}

/**
 * @param limit on all that are placed; as in Ganeti, what was placed counts against it again at each
 *   smaller size
 * @returns the failures that ended the run
 */
export function* tieredRun(
  session: Session,
  first: TrialSpec,
  limit: number | undefined,
): CapacitySteps<MisfitCounts> {
  let chain: Level[] = [];
  let spec: TrialSpec | undefined = first;
  let left = limit;
  for (;;) {
    let failures: MisfitCounts;
    if (spec === undefined) {
      const level = chain.pop() as Level;
      failures = level.failures;
      spec = otherSize(session, level.spec, failures);
      left = level.limit;
    } else {
      const before = session.placed.length;
      failures = yield* fixedRun(session, spec, left);
      const total = session.placed.length;
      // Whatever called for this size takes what comes of it.
      if (total > before) chain = [];
      if (left !== undefined && left <= total) {
        spec = undefined;
      } else {
        left = left === undefined ? undefined : left - total;
        chain.push({ spec, failures, limit: left });
        spec = shrink(spec, mostFrequent(failures));
      }
    }
    if (spec === undefined && chain.length === 0) return failures;
  }
}
