/**
 * A JSON text that can be asked for its values. `Value` names a value inside it: the index of its
 * entry for a scanned text (`JsonDocument`), the value itself for a parsed one (`ParsedJson`).
 */
export interface JsonSource<Value> {
  isObject(value: Value): boolean;
  isArray(value: Value): boolean;
  isString(value: Value): boolean;
  isNull(value: Value): boolean;
  /** True or false of a boolean, undefined of anything else. */
  boolean(value: Value): boolean | undefined;
  /** A number rounded to an integer as Ganeti does, undefined of anything else. */
  integer(value: Value): number | undefined;
  /** A number, undefined of anything else. */
  double(value: Value): number | undefined;
  /** The text of a string. `shared` keeps one copy of those that occur again and again. */
  string(value: Value, shared?: boolean): string;
  /** The value of the first of an object's keys that equals `key` (ASCII). */
  find(object: Value, key: string): Value | undefined;
  /** The keys of an object, in order, with repetitions. */
  keys(object: Value): string[];
  /** The values of an array, in order. */
  items(array: Value): Value[];
  /** Visits the keys and values of an object, in order, with repetitions. */
  forEachMember(object: Value, visit: (key: string, value: Value) => void): void;
  /** A value as Ganeti's error texts show it. */
  render(value: Value): string;
}
