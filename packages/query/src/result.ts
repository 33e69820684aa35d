/** Results of queries: values with their status, and definitions of the columns. */

/**
 * | status | name | meaning |
 * |---|---|---|
 * | 0 | normal | the value is there |
 * | 1 | unknown | there is no such field |
 * | 2 | no data | it could not be collected this time |
 * | 3 | unavailable | it makes no sense for this item now |
 * | 4 | offline | the node that could tell is marked offline |
 */
export const resultStatus = {
  normal: 0,
  unknown: 1,
  noData: 2,
  unavailable: 3,
  offline: 4,
} as const;
/** Status of an entry: one of the numbers in `resultStatus`. */
type ResultStatus = (typeof resultStatus)[keyof typeof resultStatus];

/** The value is `null` unless the status is normal. */
export type ResultEntry = readonly [status: ResultStatus, value: unknown];

/** Kinds of fields, by the names that Ganeti's `list-fields` shows. */
const fieldKinds = [
  "unknown",
  "text",
  "bool",
  "number",
  "float",
  "unit",
  "timestamp",
  "other",
] as const;
/** Kind of a field's values: one of `fieldKinds`. */
export type FieldKind = (typeof fieldKinds)[number];

/**
 * Definition of a column; `unit` is MiB. Clients that do not know a kind show it as `other`. A type, not an
 * interface, so that it is assignable to Json.
 */
export type FieldDefinition = {
  readonly name: string;
  readonly title: string;
  readonly kind: FieldKind;
  readonly doc: string;
};

/** The definitions of the columns, then row by row the entries in the same order. */
export interface QueryResult {
  readonly fields: readonly FieldDefinition[];
  readonly data: readonly (readonly ResultEntry[])[];
}

/** An entry with a value, status "normal". */
export function normal(value: unknown): ResultEntry {
  return [resultStatus.normal, value];
}
