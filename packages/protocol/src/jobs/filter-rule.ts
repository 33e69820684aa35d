/** Filter rule of the job queue: the jobs it matches, and the action for them. */
import * as z from "zod";
import { compactJson } from "../json/value-text.js";
import { FilterExpression } from "./filter-expression.js";
import { FilterUuid } from "./filter-uuid.js";
import { JobId } from "./job-id.js";
import { ReasonTrail } from "./reason.js";

/**
 * | action | jobs to which the rule applies |
 * |---|---|
 * | `ACCEPT` | may start |
 * | `PAUSE` | stay in the queue; those under way stop before their next opcode |
 * | `REJECT` | are canceled, unless they are under way |
 * | `CONTINUE` | are left to the rules that follow |
 * | `["RATE_LIMIT", n]` | start while fewer than n of them are under way |
 */
export type FilterAction =
  | "ACCEPT"
  | "PAUSE"
  | "REJECT"
  | "CONTINUE"
  | readonly ["RATE_LIMIT", number];

export const FilterAction = z.unknown().transform((value, context): FilterAction => {
  if (value === "ACCEPT" || value === "PAUSE" || value === "REJECT" || value === "CONTINUE") {
    return value;
  }
  if (!Array.isArray(value) || value[0] !== "RATE_LIMIT") {
    context.addIssue(`malformed FilterAction JSON: ${compactJson(value)}`);
    return z.NEVER;
  }
  const limit: unknown = typeof value[1] === "bigint" ? Number(value[1]) : value[1];
  if (value.length === 2 && Number.isInteger(limit) && (limit as number) > 0) {
    return ["RATE_LIMIT", limit as number];
  }
  context.addIssue("RATE_LIMIT argument must be a positive integer");
  return z.NEVER;
});

/** Kinds of predicates of filter rules. */
const predicateNames = ["jobid", "opcode", "reason"] as const;
/** Subject of a filter rule's predicate: one of `predicateNames`. */
type PredicateName = (typeof predicateNames)[number];

/** A part of a job, and the condition for it. */
export type FilterPredicate = readonly [PredicateName, FilterExpression];

export const FilterPredicate = z.unknown().transform((value, context): FilterPredicate => {
  if (!Array.isArray(value) || typeof value[0] !== "string") {
    context.addIssue(
      "malformed FilterPredicate: must be a list with the first entry being a string describing the predicate type",
    );
    return z.NEVER;
  }
  const [name, ...parameters] = value as [string, ...unknown[]];
  if (parameters.length !== 1 || !isPredicateName(name)) {
    context.addIssue(
      `malformed FilterPredicate: bad parameter list for '${name}' predicate: ${compactJson(parameters)}`,
    );
    return z.NEVER;
  }
  const expression = FilterExpression.safeParse(parameters[0]);
  if (expression.success) return [name, expression.data];
  for (const { message } of expression.error.issues) context.addIssue(message);
  return z.NEVER;
});

function isPredicateName(name: string): name is PredicateName {
  return (predicateNames as readonly string[]).includes(name);
}

/** Priority of a rule, from 0; rules with lower numbers are examined first. */
export const RulePriority = z.int().nonnegative();

/**
 * A rule as stored and displayed. Lower priorities are evaluated first; `watermark` is the last job id in use
 * when the rule was stored.
 */
export const FilterRule = z
  .strictObject({
    uuid: FilterUuid,
    watermark: JobId,
    priority: RulePriority,
    predicates: z.array(FilterPredicate).readonly(),
    action: FilterAction,
    reason_trail: ReasonTrail,
  })
  .readonly();
export type FilterRule = z.infer<typeof FilterRule>;
