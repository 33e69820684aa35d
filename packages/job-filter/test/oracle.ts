/**
 * A slow, literal implementation of the specification: predicates by walking the expression, slots by
 * counting again before every start. Shares no code with the package.
 */
import type { FilterRule, Json } from "@ganeti-ts/protocol";
import type { FilterableJob } from "../src/index.js";

interface OpcodeLike {
  readonly OP_ID: string;
  readonly reason: readonly (readonly [string, string, bigint])[];
  readonly depends: readonly (readonly [number, unknown])[] | null;
  readonly [field: string]: unknown;
}
type Verdict = boolean | "invalid";
type Lookup = (field: string) => unknown;

export const opcodesOf = (job: FilterableJob) => job.inputs as unknown as readonly OpcodeLike[];

/** The first rule in the order of (priority, watermark, uuid) that matches and decides. */
export function applyingRule(
  rules: readonly FilterRule[],
  job: FilterableJob,
): FilterRule | undefined {
  const key = ({ priority, watermark, uuid }: FilterRule) =>
    [priority, watermark].map((number) => String(number).padStart(9, "0")).join() + uuid;
  return rules
    .toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
    .find(
      (rule) => rule.action !== "CONTINUE" && rule.predicates.every((one) => holds(one, rule, job)),
    );
}

/** Buckets of the job with their limits. */
export function bucketsOf(job: FilterableJob): Map<string, number> {
  const found = new Map<string, number>();
  for (const opcode of opcodesOf(job)) {
    for (const [, text] of opcode.reason) {
      const [word, digits = "", ...label] = text.split(":");
      if (word !== "rate-limit" || !/^\d+$/.test(digits) || label.length === 0) continue;
      if (Number(digits) > 0) found.set(text, Number(digits));
    }
  }
  return found;
}

function holds(
  [name, expression]: readonly [string, unknown],
  rule: FilterRule,
  job: FilterableJob,
): boolean {
  if (name === "jobid") {
    return (
      evaluate(expression, (field) => (field === "id" ? job.id : undefined), rule.watermark) ===
      true
    );
  }
  if (name === "opcode") {
    return opcodesOf(job).some(
      (opcode) =>
        fieldsIn(expression).every((field) => field in opcode) &&
        evaluate(expression, (field) => opcode[field]) === true,
    );
  }
  return opcodesOf(job).some((opcode) =>
    opcode.reason.some(([source, reason, timestamp]) => {
      const entry: Record<string, unknown> = { source, reason, timestamp };
      return evaluate(expression, (field) => entry[field]) === true;
    }),
  );
}

function fieldsIn(expression: unknown): string[] {
  if (!Array.isArray(expression)) return [];
  const [operator, ...operands] = expression;
  if (["&", "|", "!"].includes(operator)) return operands.flatMap(fieldsIn);
  return [operands[0]];
}

function evaluate(expression: unknown, lookup: Lookup, watermark?: number): Verdict {
  if (expression === null) return true;
  const [operator, ...operands] = expression as [string, ...Json[]];
  if (operator === "!" || operator === "!=") {
    const inner = operator === "!" ? operands[0] : ["==", ...operands];
    const verdict = evaluate(inner, lookup, watermark);
    return verdict === "invalid" ? verdict : !verdict;
  }
  if (operator === "&" || operator === "|") {
    for (const operand of operands) {
      const verdict = evaluate(operand, lookup, watermark);
      if (verdict !== (operator === "&")) return verdict;
    }
    return operator === "&";
  }
  return leaf(operator, lookup(operands[0] as string), operands[1], watermark);
}

/** As far as the random rules go: numbers, strings and missing fields. */
function leaf(operator: string, value: unknown, wanted: unknown, watermark?: number): Verdict {
  if (value === undefined || operator === "?") return "invalid";
  if (operator === "=~") {
    return typeof value === "string" && watermark === undefined
      ? value.includes(wanted as string)
      : "invalid";
  }
  const right = watermark !== undefined && wanted === "watermark" ? watermark : wanted;
  if (typeof value !== typeof right) {
    return watermark === undefined && operator === "==" ? false : "invalid";
  }
  const [a, b] = [value as number, right as number];
  return { "==": a === b, "<": a < b, ">": a > b, ">=": a >= b }[operator] as boolean;
}
