/** Rule chain: finds the rule that applies to a job. */
import { compareCodePoints, type FilterRule, type JobId } from "@ganeti-ts/protocol";
import { decodeFilterWith, type PatternCompiler } from "@ganeti-ts/query";
import type { FilterableJob } from "./filterable-job.js";
import { type JobFacts, jobFacts } from "./job-facts.js";
import type { Matcher } from "./job-view.js";
import { JobView } from "./job-view.js";
import { type Need, needOf } from "./necessity.js";
import { predicateMatcher } from "./predicate.js";
import { RuleIndex } from "./rule-index.js";

/** Prepared rules in the order of their evaluation. */
export interface RuleChain {
  readonly rules: readonly FilterRule[];
  /**
   * The first rule with all predicates matching and an action other than CONTINUE; `undefined` if there is
   * none, and the job is accepted. Cached per job; the first call costs the size of the chain. `facts` are
   * those of the job, if the caller has them.
   */
  applying(job: FilterableJob, facts?: JobFacts): FilterRule | undefined;
}

/**
 * A chain belongs to one state of the rules: make a new one when they change. The order of `rules` does not
 * matter. `compile` is `compilePattern` of `@ganeti-ts/query`, or `noPatterns`.
 *
 * @throws FilterError `wrong_filter` for a regular expression that does not compile
 */
export function ruleChain(rules: Iterable<FilterRule>, compile: PatternCompiler): RuleChain {
  const ordered = [...rules].sort(compareRules);
  const view = new JobView();
  const deciding = ordered
    .filter(({ action }) => action !== "CONTINUE")
    .map((rule) => readyRule(rule, view, compile));
  const index = new RuleIndex(deciding.map(({ needs }) => needs));

  const firstMatch = (facts: JobFacts, id: JobId): FilterRule | undefined => {
    view.show(id, facts);
    index.look(view);
    for (let at = 0; at < deciding.length; at++) {
      if (!index.mayMatch(at)) continue;
      const { rule, matches } = deciding[at] as ReadyRule;
      if (matches(view)) return rule;
    }
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

/** Order by priority, then watermark, then uuid: negative if `a` is evaluated first. */
export function compareRules(a: FilterRule, b: FilterRule): number {
  return a.priority - b.priority || a.watermark - b.watermark || compareCodePoints(a.uuid, b.uuid);
}

interface ReadyRule {
  readonly rule: FilterRule;
  readonly matches: Matcher;
  readonly needs: readonly Need[];
}

/** All predicates must match; a rule without predicates matches every job. */
function readyRule(rule: FilterRule, view: JobView, compile: PatternCompiler): ReadyRule {
  const predicates = rule.predicates.map(([name, expression]) => {
    const filter = decodeFilterWith(compile, expression);
    return { name, filter, matches: predicateMatcher(name, filter, rule.watermark, view) };
  });
  const matches: Matcher = (job) => {
    for (const predicate of predicates) if (!predicate.matches(job)) return false;
    return true;
  };
  const needs = predicates.flatMap(
    ({ name, filter }) => needOf(name, filter, rule.watermark, view) ?? [],
  );
  return { rule, matches, needs };
}
