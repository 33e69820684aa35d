/** Format: how a value of ours stands on the wire, in both directions; and formats made from others. */
import { isJsonObject, type Json, writeAsciiJson } from "@ganeti-ts/protocol";
import type { WireContext } from "./context.js";

/** Data that does not have the form of its call. */
export class WireError extends Error {
  override readonly name = "WireError";
}

/** Methods, not properties, so that a format of a wider type serves where a narrower one is wanted. */
export interface Format<T> {
  encode(value: T, context: WireContext): Json;
  /** @throws WireError */
  decode(json: Json, context: WireContext): T;
}

/** The value as it is; the schemas of the catalog check its form. */
export const plain: Format<never> = {
  encode: (value) => value,
  decode: (json) => json as never,
};

/** A value that has no place on the wire where it stands: always this JSON, read as `value`. */
export const constant = <T>(value: T, json: Json): Format<T> => ({
  encode: () => json,
  decode: () => value,
});

const kind = (json: Json): string =>
  json === null ? "null" : Array.isArray(json) ? "a list" : typeof json;

export function asList(json: Json, what = "a list"): readonly Json[] {
  if (Array.isArray(json)) return json;
  throw new WireError(`${kind(json)} instead of ${what}`);
}

export function asObject(json: Json): { readonly [key: string]: Json } {
  if (isJsonObject(json)) return json;
  throw new WireError(`${kind(json)} instead of a dictionary`);
}

export function asText(json: Json): string {
  if (typeof json === "string") return json;
  throw new WireError(`${kind(json)} instead of a text`);
}

/** The number that Ganeti writes as a text, with two decimals. */
export const sizeText: Format<number> = {
  encode: (size) => size.toFixed(2),
  decode: (json) => Number(asText(json)),
};

export const listOf = <T>(item: Format<T>): Format<readonly T[]> => ({
  encode: (list, context) => list.map((one) => item.encode(one, context)),
  decode: (json, context) => asList(json).map((one) => item.decode(one, context)),
});

export const recordOf = <T>(item: Format<T>): Format<Readonly<Record<string, T>>> => ({
  encode: (record, context) =>
    Object.fromEntries(
      Object.entries(record).map(([key, value]) => [key, item.encode(value, context)]),
    ),
  decode: (json, context) =>
    Object.fromEntries(
      Object.entries(asObject(json)).map(([key, value]) => [key, item.decode(value, context)]),
    ),
});

export const nullable = <T>(format: Format<T>): Format<T | null> => ({
  encode: (value, context) => (value === null ? null : format.encode(value, context)),
  decode: (json, context) => (json === null ? null : format.decode(json, context)),
});

/** `absent` stands for a missing value on our side, and is written for it. */
export const withDefault = <T>(format: Format<T>, absent: T): Format<T | undefined> => ({
  encode: (value, context) => format.encode(value ?? absent, context),
  decode: (json, context) => format.decode(json, context),
});

/** Words of ours and their counterparts; of several words with one counterpart the first is read. */
export const words = <W extends string>(table: Readonly<Record<W, Json>>): Format<W> => ({
  encode: (word) => table[word],
  decode(json) {
    const found = (Object.entries(table) as [W, Json][]).find(([, counterpart]) => {
      return counterpart === json;
    });
    if (found) return found[0];
    throw new WireError(
      `${writeAsciiJson(json)} is not one of ${JSON.stringify(Object.values(table))}`,
    );
  },
});

type Positions<T> = readonly { [K in keyof T & string]-?: readonly [K, Format<T[K]>] }[keyof T &
  string][];

/** An object whose members stand one after the other. Further elements are refused. */
export const positional = <T extends object>(...positions: Positions<T>): Format<T> => ({
  encode: (value, context) => positions.map(([key, format]) => format.encode(value[key], context)),
  decode(json, context) {
    const list = asList(json);
    if (list.length !== positions.length) {
      throw new WireError(
        `not enough values to unpack (expected ${positions.length}, got ${list.length})`,
      );
    }
    const entries = positions.map(([key, format], at) => [
      key,
      format.decode(list[at] as Json, context),
    ]);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as T;
  },
});

/** The one argument of a call, alone in its list. */
export const single = <T>(format: Format<T>): Format<T> => ({
  encode: (value, context) => [format.encode(value, context)],
  decode(json, context) {
    const list = asList(json);
    if (list.length === 1) return format.decode(list[0] as Json, context);
    throw new WireError(`not enough values to unpack (expected 1, got ${list.length})`);
  },
});

/** Arguments of a call without any. Ganeti's master sends a list or a dictionary; the content is ignored. */
export const noArguments = constant({}, []);

export type Keys<T> = { readonly [K in keyof T & string]-?: readonly [string, Format<T[K]>] };

/**
 * An object as a dictionary with other keys. Members that are undefined or null are left out; when
 * read, missing members have their value of `absent`, if it has one. Unknown keys of the wire are ignored.
 */
export const keyed = <T extends object>(keys: Keys<T>, absent: Partial<T> = {}): Format<T> => {
  const entries = Object.entries(keys) as [keyof T & string, readonly [string, Format<unknown>]][];
  return {
    encode: (value, context) =>
      Object.fromEntries(
        entries
          .filter(([key]) => value[key] !== undefined && value[key] !== null)
          .map(([key, [wireKey, format]]) => [wireKey, format.encode(value[key], context)]),
      ),
    decode(json, context) {
      const object = asObject(json);
      const given = entries.filter(([, [wireKey]]) => Object.hasOwn(object, wireKey));
      const read = given.map(([key, [wireKey, format]]) => [
        key,
        format.decode(object[wireKey] as Json, context),
      ]);
      return { ...absent, ...Object.fromEntries(read) } as T;
    },
  };
};
