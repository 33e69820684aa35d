/**
 * Job filter: the rule that applies to a job, the jobs that may start, and the causes that hold the others.
 */

// The pass.

export type { FilterableJob } from "./filterable-job.js";
export { type HoldCause, holdText } from "./hold-cause.js";
export { type PassResult, pass } from "./pass.js";

// Rules.

export type { PatternCompiler } from "@ganeti-ts/query";
export { noPatterns, readRuleBody, readRuleUuid, storedRule } from "./read-rule.js";
export { compareRules, type RuleChain, ruleChain } from "./rule-chain.js";

// Cached facts about jobs, and limits set by reason texts.

export { type Bucket, bucketOf, jobFacts } from "./job-facts.js";
