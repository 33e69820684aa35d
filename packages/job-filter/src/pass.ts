/** One scheduling pass: what starts, what is canceled, and why the rest stays. */
import type { FilterRule } from "@ganeti-ts/protocol";
import type { FilterableJob } from "./filterable-job.js";
import type { HoldCause } from "./hold-cause.js";
import type { RuleChain } from "./rule-chain.js";

export interface PassInput<Job extends FilterableJob> {
  /** Neither finalized nor under way, in any order; jobs between two opcodes too. */
  readonly queued: Iterable<Job>;
  /** Given to a worker, whatever their status. */
  readonly claimed: Iterable<Job>;
  readonly chain: RuleChain;
  /** How many jobs may be claimed at the same time. */
  readonly runningMax: number;
}

export interface PassResult<Job extends FilterableJob> {
  /** Queued jobs that a REJECT rule applies to. */
  readonly cancel: readonly { readonly job: Job; readonly rule: FilterRule }[];
  /** In the order in which to start them: best priority first, then lowest id. */
  readonly start: readonly Job[];
  /** In the same order; every cause that kept the job when its turn came, at least one. */
  readonly held: readonly { readonly job: Job; readonly causes: readonly HoldCause[] }[];
  /** Claimed jobs that a PAUSE rule applies to. */
  readonly pause: readonly { readonly job: Job; readonly rule: FilterRule }[];
}
