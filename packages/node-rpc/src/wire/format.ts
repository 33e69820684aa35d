/** Format: conversion of a value to and from the wire; and combinators for formats. */
import { isJsonObject, type Json, writeAsciiJson } from "@ganeti-ts/protocol";
import type { WireContext } from "./context.js";

/** Error for data that does not have the form required by its call. */
export class WireError extends Error {
  override readonly name = "WireError";
}

/** Declared as methods, not properties, so that a format of a wider type is assignable to one of a narrower type. */
export interface Format<T> {
  encode(value: T, context: WireContext): Json;
  /** @throws WireError */
  decode(json: Json, context: WireContext): T;
}

/** The value unchanged; the schemas of the catalog check its form. */
export const plain: Format<never> = { encode: (value) => value, decode: (json) => json as never };

/** A value that the wire does not carry: always written as this JSON, and read as `value`. */
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

/** A number that Ganeti writes as text with two decimals. */
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

/** An optional value: undefined is written as `absent`, and read back as that. */
export const withDefault = <T>(format: Format<T>, absent: T): Format<T | undefined> => ({
  encode: (value, context) => format.encode(value ?? absent, context),
  decode: (json, context) => format.decode(json, context),
});

/** Our words by their values on the wire. If several words have the same value, the first one is read. */
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

/** A key on the wire, with the format of its value unless that is carried as it is. */
type Keyed<K, T> = K | readonly [K, Format<T>];
type Members<T> = { [K in keyof T & string]-?: Keyed<K, T[K]> }[keyof T & string];

const withFormat = <K extends string>(member: Keyed<K, unknown>): readonly [K, Format<unknown>] =>
  typeof member === "string" ? [member, plain] : member;

function asListOf(length: number, json: Json): readonly Json[] {
  const list = asList(json);
  if (list.length === length) return list;
  throw new WireError(`not enough values to unpack (expected ${length}, got ${list.length})`);
}

/** An object as a list of its members. Additional elements are refused. */
export function positional<T extends object>(...members: readonly Members<T>[]): Format<T> {
  const positions = members.map((member) => withFormat<keyof T & string>(member));
  return {
    encode: (value, context) =>
      positions.map(([key, format]) => format.encode(value[key], context)),
    decode(json, context) {
      const list = asListOf(positions.length, json);
      const entries = positions.map(([key, format], at) => [
        key,
        format.decode(list[at] as Json, context),
      ]);
      return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as T;
    },
  };
}

/** A list with one element, for calls with a single argument. */
export const single = <T>(format: Format<T>): Format<T> => ({
  encode: (value, context) => [format.encode(value, context)],
  decode: (json, context) => format.decode(asListOf(1, json)[0] as Json, context),
});

/** Arguments of a call that has none. Ganeti's master sends a list or a dictionary, whose content is ignored. */
export const noArguments = constant({}, []);

export type Keys<T> = { readonly [K in keyof T & string]-?: Keyed<string, T[K]> };

/**
 * An object as a dictionary with other keys. Members that are undefined or null are omitted. When it is read, missing
 * members get their values from `absent`, and unknown keys are ignored.
 */
export const keyed = <T extends object>(keys: Keys<T>, absent: Partial<T> = {}): Format<T> => {
  const entries = Object.entries<Keyed<string, unknown>>(keys).map(
    ([key, member]) => [key as keyof T & string, withFormat(member)] as const,
  );
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
