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

export const predicateNames = ["jobid", "opcode", "reason"] as const;
export type PredicateName = (typeof predicateNames)[number];

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

/** Priority of a rule, from 0; rules with lower numbers are looked at first. */
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

/** The given part of a rule to add or replace; uuid and watermark are assigned. */
export const FilterRuleBody = z
  .unknown()
  .superRefine((body, context) => {
    const fault = bodyFault(body);
    if (fault !== undefined) context.addIssue(fault);
  })
  .pipe(
    z.strictObject({
      priority: RulePriority.default(0),
      predicates: z.array(FilterPredicate).readonly().default([]),
      action: FilterAction.default("CONTINUE"),
      reason: ReasonTrail.default([]),
    }),
  );
export type FilterRuleBody = z.infer<typeof FilterRuleBody>;

/** Faults that Ganeti reports before it checks predicates and action. */
function bodyFault(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return "Invalid body contents, not a dictionary";
  }
  for (const key of Object.keys(body)) {
    if (!["priority", "predicates", "action", "reason"].includes(key)) {
      return `Invalid body parameters: filter rule doesn't support the parameter '${key}'`;
    }
  }
  const { priority, predicates, reason } = body as Readonly<Record<string, unknown>>;
  if (priority !== undefined && !Number.isInteger(priority))
    return typeFault("priority", priority, "int");
  if (predicates !== undefined && !Array.isArray(predicates))
    return typeFault("predicates", predicates, "list");
  if (reason !== undefined && !Array.isArray(reason)) return typeFault("reason", reason, "list");
  return undefined;
}

function typeFault(key: string, value: unknown, wanted: string): string {
  return `'${key}' parameter: Type is '${pythonTypeName(value)}', but '${wanted}' is expected`;
}

/** Name of a JSON value's type in Ganeti's messages. */
function pythonTypeName(value: unknown): string {
  if (value === null) return "NoneType";
  if (Array.isArray(value)) return "list";
  switch (typeof value) {
    case "string":
      return "str";
    case "boolean":
      return "bool";
    case "number":
      return "float";
    case "bigint":
      return "int";
    default:
      return "dict";
  }
}
