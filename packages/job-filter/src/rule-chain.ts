/** Which rule applies to a job. */
import type { FilterRule } from "@ganeti-ts/protocol";
import type { FilterableJob } from "./filterable-job.js";

/** Rules in the order in which they are looked at, ready for use. */
export interface RuleChain {
  readonly rules: readonly FilterRule[];
  /**
   * The first rule with all predicates matching and an action other than CONTINUE; `undefined` if
   * there is none, and the job is accepted. Kept per job; the first time costs the size of the chain.
   */
  applying(job: FilterableJob): FilterRule | undefined;
}
