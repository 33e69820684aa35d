/** Evaluation of a filter on an item. */
import { compareCodePoints, type FilterValue, spacedJson } from "@ganeti-ts/protocol";
import type { Comparison, Filter, FilterLeaf } from "./filter.js";
import { FilterError } from "./filter-error.js";
import { filterJudge, type Judge } from "./judge.js";
import type { QueryField } from "./query-field.js";
import { resultStatus } from "./result.js";

/**
 * Returns whether an item matches; `undefined` if that depends on live data not yet collected, so that the
 * item must be judged again. A condition on a field without a normal value is true, because it cannot be
 * judged.
 *
 * @throws FilterError `unknown_field` immediately; `wrong_value` when an item's value has the wrong type,
 * unless an earlier condition decides
 */
export function itemJudge<Item>(fields: readonly QueryField<Item>[], filter: Filter): Judge<Item> {
  const byName = new Map(fields.map((field) => [field.definition.name, field]));
  return filterJudge<Item>(filter, (leaf) => {
    const field = byName.get(leaf.field);
    if (field === undefined) {
      throw new FilterError("unknown_field", `Can't find field named '${leaf.field}'`);
    }
    return (item) => {
      const entry = field.entry(item);
      if (entry === undefined) return undefined;
      const [status, value] = entry;
      return status !== resultStatus.normal || leafHolds(leaf, seen(value, field), field);
    };
  });
}

function seen<Item>(value: unknown, { seenAs }: QueryField<Item>): unknown {
  return seenAs === "timestamp" && Array.isArray(value) ? value[0] : value;
}

function leafHolds<Item>(leaf: FilterLeaf, value: unknown, field: QueryField<Item>): boolean {
  switch (leaf.kind) {
    case "true":
      if (typeof value === "boolean") return value;
      throw wrongValue(`Unexpected value '${spacedJson(value)}' in boolean context`);
    case "matches":
      if (typeof value === "string") return leaf.pattern.found(value);
      throw wrongValue(
        `Invalid field value used in regexp matching, expecting string but got '${spacedJson(value)}'`,
      );
    case "contains":
      return holds(value, leaf.value);
    case "compare":
      return compares(leaf.comparison, value, leaf.value, field.seenAs === "hostname");
  }
}

/** Membership in a list of one type; a mismatch is reported as Haskell's reader reports it. */
function holds(list: unknown, wanted: FilterValue): boolean {
  const [fits, type] = isString(wanted)
    ? ([isString, "String"] as const)
    : ([isInteger, "Integer"] as const);
  if (!Array.isArray(list)) throw unreadable(list, "list");
  if (!list.every(fits)) throw unreadable(list, type);
  // Compared with < and >, because 5 and 5n are the same number.
  return list.some((member) => !(member < wanted || member > wanted));
}

const unreadable = (value: unknown, type: string) =>
  wrongValue(`Cannot convert value '${spacedJson(value)}', error: Unable to read ${type}`);

function compares(
  comparison: Comparison,
  value: unknown,
  wanted: FilterValue,
  hostname: boolean,
): boolean {
  if (isString(value) && isString(wanted)) {
    if (hostname && comparison === "==") return isNamed(value, wanted);
    return orderFits(comparison, compareCodePoints(value, wanted));
  }
  if (isNumeric(value) && !isString(wanted)) {
    return orderFits(comparison, value < wanted ? -1 : Number(value > wanted));
  }
  throw wrongValue(
    `Invalid types in comparison, trying to compare ${spacedJson(value)} with '${wantedText(wanted)}'`,
  );
}

/** A value of a filter in Haskell's notation, which Ganeti's messages use. */
function wantedText(wanted: FilterValue): string {
  if (isString(wanted)) return `QuotedString ${haskellText(wanted)}`;
  return `NumericValue ${wanted < 0 ? `(${wanted})` : wanted}`;
}

/**
 * In double quotes; characters other than printable ASCII as numbers, which `\\&` terminates before a digit.
 */
const haskellText = (text: string): string => {
  const quoted = text.replace(/["\\]/g, "\\$&");
  return `"${quoted.replace(
    /([^ -~])(?=(\d)?)/gu,
    (_, one: string, digit?: string) =>
      `\\${one.codePointAt(0)}${digit === undefined ? "" : "\\&"}`,
  )}"`;
};

/** Whether a host has this name, with or without the rest of its domain. Case-sensitive. */
export function isNamed(hostname: string, name: string): boolean {
  return hostname === name || hostname.startsWith(`${name}.`);
}

/** `order` is negative, zero or positive if the value is before, equal to or after the operand. */
export function orderFits(comparison: Comparison, order: number): boolean {
  switch (comparison) {
    case "==":
      return order === 0;
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    case ">=":
      return order >= 0;
  }
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

function isInteger(value: unknown): boolean {
  return typeof value === "bigint" || Number.isInteger(value);
}

function wrongValue(message: string): FilterError {
  return new FilterError("wrong_value", message);
}
