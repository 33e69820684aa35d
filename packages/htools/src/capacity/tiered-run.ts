/**
 * Placement of instances of a size until none fits, then of smaller sizes: a size shrinks by the most
 * frequent misfit.
 *
 * Source: Ganeti, HTools/Cluster.hs (`tieredAlloc`). There every size that does not fit recurses to the next
 * smaller one, and if that finally fails, to a search in all other directions: from the smallest of the chain
 * back to the largest. Here the chain is a list, processed backwards.
 */
import type { MisfitCounts } from "../fit/misfit.js";
import { type CapacitySteps, fixedRun } from "./fixed-run.js";
import { otherSize } from "./other-size.js";
import { mostFrequent } from "./reasons.js";
import type { Session } from "./session.js";
import { shrink, type TrialSpec } from "./trial.js";

/** A size tried in the present state, with its result if nothing smaller fits. */
interface Level {
  readonly spec: TrialSpec;
  readonly failures: MisfitCounts;
  /** Maximum number at the next size. */
  readonly limit: number | undefined;
}

/**
 * @param limit maximum number in total; as in Ganeti, instances placed count against it again at each smaller
 * size
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
      // All sizes of the chain get the result of this size.
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
