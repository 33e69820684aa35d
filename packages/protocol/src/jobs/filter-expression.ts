/**
 * Filter of the query language in its JSON form: an operator followed by its operands; `null` matches
 * everything. This file defines its syntax; `@ganeti-ts/query` defines its meaning.
 */
import * as z from "zod";
import { spacedJson } from "../json/value-text.js";

/** Operand of a comparison; integers beyond 2^53 are bigints. */
export type FilterValue = string | number | bigint;

/** `=` is the old spelling of `==`; new filters use `==`. */
export type FilterExpression =
  | null
  | readonly ["&" | "|", ...FilterExpression[]]
  | readonly ["!", FilterExpression]
  | readonly ["?", field: string]
  | readonly ["=~", field: string, pattern: string]
  | readonly [ComparisonOperator, field: string, value: FilterValue];

/** Operators that compare a field with a value; `=[]` asks whether a list contains the value. */
type ComparisonOperator = "==" | "=" | "!=" | "<" | "<=" | ">" | ">=" | "=[]";

/** Filters nested deeper than this are refused, whatever their form. */
export const filterDepthMax = 200;

/**
 * Describes the first fault of `value` as a filter expression, from left to right, in Ganeti's words;
 * `undefined` if it is one. Does not check whether regular expressions compile. Cost: the size of `value`.
 *
 * Source: Ganeti, Query/Language.hs, `readFilter`.
 */
export function filterExpressionFault(value: unknown, depth = 0): string | undefined {
  if (value === null) return undefined;
  if (!Array.isArray(value) || typeof value[0] !== "string") {
    return `Cannot deserialise filter: expected array [string, args], got ${spacedJson(value)}`;
  }
  if (depth >= filterDepthMax) {
    return `Cannot deserialise filter: nested deeper than ${filterDepthMax} levels`;
  }
  const [operator, ...operands] = value as [string, ...unknown[]];
  switch (operator) {
    case "&":
    case "|":
      return firstFault(operands, (operand) => filterExpressionFault(operand, depth + 1));
    case "!":
      if (operands.length === 1) return filterExpressionFault(operands[0], depth + 1);
      return `Cannot deserialise field, expected [filter] but got ${spacedJson(operands)}`;
    case "?":
      if (operands.length === 1) return stringFault(operands[0]);
      return `Cannot deserialise field, expected [fieldname] but got ${spacedJson(operands)}`;
    case "=~":
      return pairFault(operands) ?? firstFault(operands, stringFault);
    case "==":
    case "=":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=":
    case "=[]":
      return pairFault(operands) ?? stringFault(operands[0]) ?? valueFault(operands[1]);
    default:
      return `Unknown filter operand '${operator}'`;
  }
}

/** Schema for an unknown value, with Ganeti's own text as the only message. */
export const FilterExpression = z.unknown().transform((value, context): FilterExpression => {
  const fault = filterExpressionFault(value);
  if (fault === undefined) return value as FilterExpression;
  context.addIssue(fault);
  return z.NEVER;
});

function firstFault(
  operands: readonly unknown[],
  faultOf: (operand: unknown) => string | undefined,
): string | undefined {
  for (const operand of operands) {
    const fault = faultOf(operand);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function pairFault(operands: readonly unknown[]): string | undefined {
  if (operands.length === 2) return undefined;
  return `Cannot deserialise field/value pair, expected [fieldname, value] but got ${spacedJson(operands)}`;
}

function stringFault(value: unknown): string | undefined {
  return typeof value === "string" ? undefined : "Unable to read String";
}

function valueFault(value: unknown): string | undefined {
  if (typeof value === "string" || typeof value === "bigint") return undefined;
  if (typeof value !== "number" || !Number.isFinite(value)) {
    return `Cannot deserialise filter value, expecting string or integer, got ${spacedJson(value)}`;
  }
  if (Number.isInteger(value)) return undefined;
  return (
    "Cannot deserialise numeric filter value, expecting integral but got a fractional value: " +
    fractionText(value)
  );
}

/** The fraction of the number's shortest decimal form in lowest terms: 1.5 is `3 % 2`. */
export function fractionText(value: number): string {
  const [digits = "", exponent = "0"] = String(value).split("e");
  const [whole = "", decimals = ""] = digits.split(".");
  const shift = decimals.length - Number(exponent);
  let numerator = BigInt(whole + decimals);
  let denominator = 10n ** BigInt(shift);
  const divisor = greatestCommonDivisor(numerator < 0n ? -numerator : numerator, denominator);
  numerator /= divisor;
  denominator /= divisor;
  return `${numerator < 0n ? `(${numerator})` : numerator} % ${denominator}`;
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestCommonDivisor(b, a % b);
}
