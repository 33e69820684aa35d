/**
 * Fields of queries by the type of their values: `{ ...texts("name"), ...numbers("free") }` names the fields, and its type
 * is that of a row. The values of such an object mean nothing.
 */
const fieldsOf =
  <Value>() =>
  <Name extends string>(...names: readonly Name[]) =>
    Object.fromEntries(names.map((name) => [name, null as Value])) as Record<Name, Value>;

export const texts = fieldsOf<string>();
export const numbers = fieldsOf<number>();
export const lists = fieldsOf<readonly string[]>();

// A value that the server does not have is null.

export const textsOrNull = fieldsOf<string | null>();
export const numbersOrNull = fieldsOf<number | null>();
export const flagsOrNull = fieldsOf<boolean | null>();
export const listsOrNull = fieldsOf<readonly string[] | null>();
/** Seconds and microseconds. */
export const timesOrNull = fieldsOf<readonly [number, number] | null>();
export const ofType = fieldsOf;
