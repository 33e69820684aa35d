/** Parsing and completion of a filter rule. */
import { type FilterRule, FilterRuleBody, FilterUuid, type JobId } from "@ganeti-ts/protocol";
import {
  decodeFilterWith,
  encodeFilter,
  FilterError,
  type PatternCompiler,
} from "@ganeti-ts/query";
import { refuseUnjudgeable } from "./unjudgeable.js";

/** For programs without regular expressions in rules: refuses each. @throws FilterError `wrong_filter` */
export const noPatterns: PatternCompiler = (source) => {
  throw new FilterError(
    "wrong_filter",
    `Invalid regular expression (this program has no support for them: '${source}')`,
  );
};

/**
 * The body of a request to add or replace a rule, with the defaults for what it leaves out; predicates
 * in their plain form: `==` for `=`, the negation of `==` for `!=`.
 * Nothing of a rule with any fault is taken. `compile` is `compilePattern` of `@ganeti-ts/query`, or `noPatterns`.
 *
 * @throws FilterError `wrong_filter` with Ganeti's text; also where a `jobid` predicate could never be judged.
 */
export function readRuleBody(value: unknown, compile: PatternCompiler): FilterRuleBody {
  const body = FilterRuleBody.safeParse(value);
  if (!body.success) {
    const issue = body.error.issues[0];
    const place = issue?.path[0] === "priority" ? "'priority' parameter: " : "";
    throw new FilterError("wrong_filter", `${place}${issue?.message}`);
  }
  const predicates = body.data.predicates.map(([name, expression]) => {
    // Compiles regular expressions, and refuses invalid ones.
    const filter = decodeFilterWith(compile, expression);
    if (name === "jobid") refuseUnjudgeable(filter);
    return [name, encodeFilter(filter)] as const;
  });
  return { ...body.data, predicates } as FilterRuleBody;
}

/** @throws FilterError `wrong_filter`, "Unable to parse UUID" */
export function readRuleUuid(value: unknown): FilterUuid {
  const uuid = FilterUuid.safeParse(value);
  if (uuid.success) return uuid.data;
  throw new FilterError("wrong_filter", "Unable to parse UUID");
}

/** Values assigned by the queue when it stores a rule. */
interface RuleStamp {
  readonly uuid: FilterUuid;
  /** The last job id in use, read in the same change that stores the rule. */
  readonly watermark: JobId;
  /** Nanoseconds since the epoch. */
  readonly now: bigint;
}

/** The rule in its stored form; if it replaces another one, nothing of that is kept. */
export function storedRule(body: FilterRuleBody, { uuid, watermark, now }: RuleStamp): FilterRule {
  return {
    uuid,
    watermark,
    priority: body.priority,
    predicates: body.predicates,
    action: body.action,
    reason_trail: [...body.reason, ["luxid", "", now]],
  };
}
