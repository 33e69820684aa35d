/** A request to add or replace a filter rule: its schema, with Ganeti's texts for faults. */
import * as z from "zod";
import { FilterAction, FilterPredicate, RulePriority } from "./filter-rule.js";
import { ReasonTrail } from "./reason.js";

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
