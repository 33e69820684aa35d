/** Which rule applies to a job, what may start now and what holds the rest. */

// The pass.

export type { FilterableJob } from "./filterable-job.js";
export { type CausingRule, type HoldCause, holdText } from "./hold-cause.js";
export { type PassInput, type PassResult, pass } from "./pass.js";

// Rules.

export type { PatternCompiler } from "@ganeti-ts/query";
export { noPatterns, type RuleStamp, readRuleBody, readRuleUuid, storedRule } from "./read-rule.js";
export { compareRules, type RuleChain, ruleChain } from "./rule-chain.js";

// What is known of a job, and the limits that reason texts set.

export {
  type Bucket,
  bucketOf,
  type JobFacts,
  type Judgement,
  jobFacts,
  type Reason,
} from "./job-facts.js";
