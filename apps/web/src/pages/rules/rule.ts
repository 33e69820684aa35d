/** Filter rules as the page reads and writes them. */
import type { RuleEffects, RulePreview } from "@ganeti-ts/rapi-client";

export type PredicateName = "jobid" | "opcode" | "reason";
export type Action = "ACCEPT" | "PAUSE" | "REJECT" | "CONTINUE" | readonly ["RATE_LIMIT", number];

type ReasonEntry = readonly [source: string, text: string, nanoseconds: number];

export interface Rule {
  readonly uuid: string;
  readonly watermark: number;
  readonly priority: number;
  readonly predicates: readonly (readonly [name: PredicateName, expression: unknown])[];
  readonly action: Action;
  readonly reason_trail: readonly ReasonEntry[];
}

export type RuleBody = Pick<Rule, "priority" | "predicates" | "action"> & {
  readonly reason: readonly ReasonEntry[];
};

/** Numbers of unfinished jobs by rule and by limit. */
export type Effects = RuleEffects;
export type Preview = RulePreview;
export type CaughtJob = Preview["caught"][number];

/** Order of evaluation. */
export const compareRules = (a: Rule, b: Rule): number =>
  a.priority - b.priority || a.watermark - b.watermark || (a.uuid < b.uuid ? -1 : 1);

/** Reasons given by users and programs, without the server's own entry at the end. */
export const givenReasons = (rule: Rule): readonly ReasonEntry[] =>
  rule.reason_trail.filter(([source, text]) => source !== "luxid" || text !== "");

/** A rule's body with one more reason, unless that is empty. */
export const bodyOf = (
  rule: Pick<Rule, "priority" | "predicates" | "action">,
  before: readonly ReasonEntry[],
  why = "",
): RuleBody => ({
  priority: rule.priority,
  predicates: rule.predicates,
  action: rule.action,
  reason: why.trim() === "" ? before : [...before, ["gnt:user", why.trim(), Date.now() * 1e6]],
});

export const whyOf = (rule: Rule): string =>
  givenReasons(rule)
    .map(([, text]) => text)
    .filter((text) => text !== "")
    .join("; ");
