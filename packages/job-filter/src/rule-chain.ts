/** Which rule applies to a job. */
import { compareCodePoints, type FilterRule, type JobId } from "@ganeti-ts/protocol";
import type { FilterableJob } from "./filterable-job.js";
import { type JobFacts, jobFacts } from "./job-facts.js";
import { type Matcher, predicateMatcher } from "./predicate.js";

/** Rules in the order in which they are looked at, ready for use. */
export interface RuleChain {
  readonly rules: readonly FilterRule[];
  /**
   * The first rule with all predicates matching and an action other than CONTINUE; `undefined` if
   * there is none, and the job is accepted. Kept per job; the first time costs the size of the chain.
   * `facts` are those of the job, where they are at hand.
   */
  applying(job: FilterableJob, facts?: JobFacts): FilterRule | undefined;
}

/**
 * A chain is for one state of the rules: make another one when they change. Their order when given
 * does not matter.
 *
 * @throws FilterError `wrong_filter` for a regular expression that does not compile.
 */
export function ruleChain(rules: Iterable<FilterRule>): RuleChain {
  const ordered = [...rules].sort(compareRules);
  const deciding = ordered
    .filter(({ action }) => action !== "CONTINUE")
    .map((rule) => ({ rule, matches: ruleMatcher(rule) }));

  const firstMatch = (facts: JobFacts, id: JobId): FilterRule | undefined => {
    for (const { rule, matches } of deciding) if (matches(facts, id)) return rule;
    return undefined;
  };
  const chain: RuleChain = {
    rules: ordered,
    applying({ id, inputs }, facts = jobFacts(inputs)) {
      const kept = facts.judgement;
      if (kept !== undefined && kept.by === chain && kept.id === id) return kept.rule;
      const rule = firstMatch(facts, id);
      facts.judgement = { by: chain, id, rule };
      return rule;
    },
  };
  return chain;
}

/** By priority, then watermark, then uuid: negative if `a` is looked at first. */
export function compareRules(a: FilterRule, b: FilterRule): number {
  return a.priority - b.priority || a.watermark - b.watermark || compareCodePoints(a.uuid, b.uuid);
}

/** All predicates; none at all match every job. */
function ruleMatcher({ predicates, watermark }: FilterRule): Matcher {
  const matchers = predicates.map((predicate) => predicateMatcher(predicate, watermark));
  return (facts, id) => {
    for (const matches of matchers) if (!matches(facts, id)) return false;
    return true;
  };
}
