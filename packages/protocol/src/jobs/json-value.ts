/** JSON values in jobs: integers beyond 2^53 stay exact, as bigint. */

/** A JSON value whose large whole numbers may be bigints. */
export type Json =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Whether a value is an object as JSON has it: neither null nor a list. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The members of an object that are neither null nor undefined. */
export const withoutNulls = (object: object): { [key: string]: Json } =>
  Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== undefined && value !== null),
  );

/** Whether all of a value can be written as JSON: infinity and NaN cannot. O(its size). */
export function isJson(value: unknown): value is Json {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "bigint":
      return true;
    case "number":
      return Number.isFinite(value);
    case "object":
      if (value === null) return true;
      if (Array.isArray(value)) return value.every(isJson);
      return Object.values(value).every((one) => one === undefined || isJson(one));
    default:
      return false;
  }
}

/** Equality of JSON values, independent of the order of keys; 5 and 5n are equal. */
export function sameJson(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (isNumeric(a) && isNumeric(b)) return !(a < b || a > b);
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((one, at) => sameJson(one, b[at] as Json));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key] as Json, b[key] as Json))
  );
}

const isNumeric = (value: Json): value is number | bigint =>
  typeof value === "number" || typeof value === "bigint";
