/** Evaluation of a rule's predicate on a job. */
import type { FilterPredicate, JobId } from "@ganeti-ts/protocol";
import { type Filter, filterJudge } from "@ganeti-ts/query";
import { jobIdLeaf } from "./job-id-leaf.js";
import type { JobView, Matcher } from "./job-view.js";
import { opcodePredicate } from "./opcode-predicate.js";
import { reasonLeaf } from "./reason-leaf.js";

/**
 * The predicate as a function. It is evaluated on the job, on each of its opcodes or on each entry of its
 * reason trails; one of these must satisfy it alone. A value that cannot be judged does not match, nor does
 * its negation. `view` supplies the job.
 */
export function predicateMatcher(
  name: FilterPredicate[0],
  filter: Filter,
  watermark: JobId,
  view: JobView,
): Matcher {
  switch (name) {
    case "jobid":
      return jobIdPredicate(filter, watermark);
    case "opcode":
      return opcodePredicate(filter, view);
    case "reason":
      return reasonPredicate(filter);
  }
}

function jobIdPredicate(filter: Filter, watermark: JobId): Matcher {
  const judge = filterJudge(filter, (leaf) => jobIdLeaf(leaf, watermark));
  return ({ id }) => judge(id) === true;
}

function reasonPredicate(filter: Filter): Matcher {
  const judge = filterJudge(filter, reasonLeaf);
  return ({ facts }) => {
    for (const reason of facts.reasons) if (judge(reason) === true) return true;
    return false;
  };
}
