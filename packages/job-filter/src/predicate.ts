/** Whether a predicate of a rule is true of a job. */
import type { FilterPredicate, JobId } from "@ganeti-ts/protocol";
import { decodeFilter, type Filter, filterJudge } from "@ganeti-ts/query";
import type { JobFacts } from "./job-facts.js";
import { jobIdLeaf } from "./job-id-leaf.js";
import { opcodePredicate } from "./opcode-predicate.js";
import { reasonLeaf } from "./reason-leaf.js";

export type Matcher = (facts: JobFacts, id: JobId) => boolean;

/**
 * The predicate as a function. It looks at the job, at each of its opcodes or at each entry of its
 * reason trails; one of these must satisfy it alone. What cannot be judged does not match, nor does
 * its negation.
 *
 * @throws FilterError `wrong_filter` for a regular expression that does not compile.
 */
export function predicateMatcher([name, expression]: FilterPredicate, watermark: JobId): Matcher {
  const filter = decodeFilter(expression);
  switch (name) {
    case "jobid":
      return jobIdPredicate(filter, watermark);
    case "opcode":
      return opcodePredicate(filter);
    case "reason":
      return reasonPredicate(filter);
  }
}

function jobIdPredicate(filter: Filter, watermark: JobId): Matcher {
  const judge = filterJudge(filter, (leaf) => jobIdLeaf(leaf, watermark));
  return (_facts, id) => judge(id) === true;
}

function reasonPredicate(filter: Filter): Matcher {
  const judge = filterJudge(filter, reasonLeaf);
  return ({ reasons }) => {
    for (const reason of reasons) if (judge(reason) === true) return true;
    return false;
  };
}
