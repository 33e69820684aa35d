/** Questions about the opcodes of a job: any parameter, nested ones by dots. */
import {
  compareCodePoints,
  type FilterValue,
  isJsonObject,
  type Json,
  type JsonObject,
} from "@ganeti-ts/protocol";
import {
  type Filter,
  type FilterLeaf,
  fieldsOf,
  filterJudge,
  type Judge,
  orderFits,
} from "@ganeti-ts/query";
import type { Matcher } from "./predicate.js";

/**
 * True if one opcode satisfies the filter. An opcode that lacks any field which the filter names does
 * not, wherever in the filter that field stands.
 */
export function opcodePredicate(filter: Filter): Matcher {
  const fields = fieldsOf(filter);
  const readers = fields.map(fieldReader);
  // The values of one opcode in the order of `fields`; filled anew for each.
  const values: Json[] = [];
  const judge = filterJudge<readonly Json[]>(filter, (leaf) => {
    const place = fields.indexOf(leaf.field);
    const judgeValue = valueLeaf(leaf);
    return (all) => judgeValue(all[place] as Json);
  });
  const isComplete = (opcode: JsonObject): boolean => {
    for (let i = 0; i < readers.length; i++) {
      const value = (readers[i] as FieldReader)(opcode);
      if (value === undefined) return false;
      values[i] = value;
    }
    return true;
  };
  return ({ opcodes }) => {
    for (const opcode of opcodes) if (isComplete(opcode) && judge(values) === true) return true;
    return false;
  };
}

type FieldReader = (opcode: JsonObject) => Json | undefined;

/** What is found at the dotted path, through objects only; `undefined` if nothing is. */
function fieldReader(field: string): FieldReader {
  const keys = field.split(".");
  const [only] = keys;
  // What no object inherits can be read without asking whose it is.
  if (only !== undefined && keys.length === 1 && !(only in {})) return (opcode) => opcode[only];
  return (opcode) => {
    let value: Json | undefined = opcode;
    for (const key of keys) {
      if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
      value = value[key];
    }
    return value;
  };
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
      return (value) => (typeof value === "string" ? leaf.pattern.found(value) : undefined);
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

function isMember(list: Json, wanted: FilterValue): boolean | undefined {
  const fits = typeof wanted === "string" ? isString : isInteger;
  if (!Array.isArray(list) || !list.every(fits)) return undefined;
  return list.some((member) => order(member, wanted) === 0);
}

/** null, booleans, numbers, strings, lists, objects. */
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

/** Negative, zero or positive as `value` comes before, at or after `wanted`. */
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
