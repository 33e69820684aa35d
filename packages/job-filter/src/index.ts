/**
 * Job filter: the rule that applies to a job, the jobs that may start, and the causes that hold the others.
 */

// The pass.

export type { FilterableJob } from "./filterable-job.js";
export { type CausingRule, type HoldCause, holdText } from "./hold-cause.js";
export { type PassInput, type PassResult, pass } from "./pass.js";

// Rules.

export type { PatternCompiler } from "@ganeti-ts/query";
export { noPatterns, type RuleStamp, readRuleBody, readRuleUuid, storedRule } from "./read-rule.js";
export { compareRules, type RuleChain, ruleChain } from "./rule-chain.js";

// Cached facts about jobs, and limits set by reason texts.

export {
  type Bucket,
  bucketOf,
  type JobFacts,
  type Judgement,
  jobFacts,
  type Reason,
} from "./job-facts.js";
