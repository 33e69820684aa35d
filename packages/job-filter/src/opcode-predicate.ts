/** Predicates about the opcodes of a job: any parameter, with dots for nested ones. */
import { compareCodePoints, type FilterValue, type Json } from "@ganeti-ts/protocol";
import {
  type Filter,
  type FilterLeaf,
  fieldsOf,
  filterJudge,
  type Judge,
  orderFits,
  type Pattern,
} from "@ganeti-ts/query";
import type { JobView, Matcher, Row } from "./job-view.js";

/**
 * True if some opcode satisfies the filter. An opcode that lacks any field in the filter never does, wherever
 * in the filter the field occurs.
 */
export function opcodePredicate(filter: Filter, view: JobView): Matcher {
  const places = fieldsOf(filter).map((field) => view.placeOf(field));
  const judge = filterJudge<Row>(filter, (leaf) => {
    const place = view.placeOf(leaf.field);
    const judgeValue = valueLeaf(leaf);
    return (row) => judgeValue(row[place] as Json);
  });
  return ({ rows }) => {
    for (const row of rows) if (isComplete(row, places) && judge(row) === true) return true;
    return false;
  };
}

function isComplete(row: Row, places: readonly number[]): boolean {
  for (const place of places) if (row[place] === undefined) return false;
  return true;
}

/**
 * | leaf | verdict |
 * |---|---|
 * | `==` | equal in type and value |
 * | `<`, `<=`, `>`, `>=` | within a type as usual, strings by code point; between types by rank |
 * | `=~` | found in a string, else none |
 * | `?` | a boolean itself, else none |
 * | `=[]` | member of a list all of strings or all of integers, asked for its kind; else none |
 */
function valueLeaf(leaf: FilterLeaf): Judge<Json> {
  switch (leaf.kind) {
    case "matches":
      return stringLeaf(leaf.field === "OP_ID" ? foundOnce(leaf.pattern) : leaf.pattern);
    case "true":
      return (value) => (typeof value === "boolean" ? value : undefined);
    case "contains":
      return (value) => isMember(value, leaf.value);
    case "compare": {
      const { comparison, value: wanted } = leaf;
      if (comparison === "==" && typeof wanted === "string") return (value) => value === wanted;
      return (value) => orderFits(comparison, order(value, wanted));
    }
  }
}

const stringLeaf =
  ({ found }: Pick<Pattern, "found">): Judge<Json> =>
  (value) =>
    typeof value === "string" ? found(value) : undefined;

/** Caches results by text: opcodes are many, but have few names. */
function foundOnce({ found }: Pattern): Pick<Pattern, "found"> {
  const known = new Map<string, boolean>();
  return {
    found(name) {
      let isFound = known.get(name);
      if (isFound === undefined) {
        if (known.size === namesMax) known.clear();
        isFound = found(name);
        known.set(name, isFound);
      }
      return isFound;
    },
  };
}

/** Limit of the cache; Ganeti has about 150 names. */
const namesMax = 1000;

function isMember(list: Json, wanted: FilterValue): boolean | undefined {
  const fits = typeof wanted === "string" ? isString : isInteger;
  if (!Array.isArray(list) || !list.every(fits)) return undefined;
  return list.some((member) => order(member, wanted) === 0);
}

/** Rank of a type: null, booleans, numbers, strings, lists, objects. */
function rank(value: Json): number {
  if (value === null) return 0;
  switch (typeof value) {
    case "boolean":
      return 1;
    case "number":
    case "bigint":
      return 2;
    case "string":
      return 3;
    default:
      return Array.isArray(value) ? 4 : 5;
  }
}

/** Negative, zero or positive if `value` is before, equal to or after `wanted`. */
function order(value: Json, wanted: FilterValue): number {
  if (typeof value === "string" && typeof wanted === "string") {
    return compareCodePoints(value, wanted);
  }
  const ranks = rank(value) - rank(wanted);
  if (ranks !== 0) return ranks;
  const [left, right] = [value as number | bigint, wanted as number | bigint];
  return left < right ? -1 : Number(left > right);
}

function isString(value: Json): boolean {
  return typeof value === "string";
}

function isInteger(value: Json): boolean {
  return typeof value === "bigint" || Number.isInteger(value);
}
