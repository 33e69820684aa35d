/** Access to the values of a JSON text by number; the outermost value has number 0. */

export type JsonKind = "object" | "array" | "string" | "number" | "boolean" | "null";

/** Values of a JSON text. Contents of an object are key, value, key, value; those of an array its values. */
export interface JsonValues {
  kind(value: number): JsonKind;
  isObject(value: number): boolean;
  isArray(value: number): boolean;
  isString(value: number): boolean;
  isNull(value: number): boolean;
  /** True or false for a boolean, undefined for anything else. */
  boolean(value: number): boolean | undefined;
  /** A number rounded to an integer as Ganeti does, undefined for anything else. */
  integer(value: number): number | undefined;
  double(value: number): number | undefined;
  /** The text of a string or key. `shared` keeps one copy of frequently repeated strings. */
  string(value: number, shared?: boolean): string;
  /** A number as written in the text. */
  numberText(value: number): string;
  /** The first entry inside an object (a key) or array (a value); `end` if it is empty. */
  first(container: number): number;
  /** The entry after the contents of an object or array. */
  end(container: number): number;
  /** The entry that follows `value`: the next one in its array, or the next key. */
  after(value: number): number;
  /** The value of the first of an object's keys that equals `key` (ASCII); -1 if there is none. */
  find(object: number, key: string): number;
  /** The keys of an object, in order, with repetitions. */
  keys(object: number): string[];
  /** The values of an array, in order. */
  items(array: number): number[];
}
