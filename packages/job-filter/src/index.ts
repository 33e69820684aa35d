/** Which rule applies to a job, what may start now and what holds the rest. */
export type { FilterableJob } from "./filterable-job.js";
export type { CausingRule, HoldCause } from "./hold-cause.js";
export type { PassInput, PassResult } from "./pass.js";
export type { RuleChain } from "./rule-chain.js";
