/** Reader for the keys of one object, which refuses missing keys and wrong types in Ganeti's words. */
import { MessageError } from "../errors.js";
import type { JsonValues } from "./json-values.js";
import { quoted, quotedList } from "./quoted.js";

const noStrings: readonly string[] = [];

/**
 * One object of a message. All methods throw a `MessageError` (`wrong_message`) if the key is missing or its
 * value has another type; `optional…` methods return undefined for null and a missing key. If keys repeat,
 * the first counts.
 */
export class RecordReader {
  readonly document: JsonValues;
  readonly object: number;
  /** Prefix of error texts: the owner of the keys with a colon and a blank, or empty. */
  readonly owner: string;
  readonly #naming: "key" | "Can't parse value for";

  constructor(
    document: JsonValues,
    object: number,
    owner: string,
    naming: "key" | "Can't parse value for" = "key",
  ) {
    this.document = document;
    this.object = object;
    this.owner = owner;
    this.#naming = naming;
  }

  /** The same object, with errors that do not name the owner. */
  anonymous(): RecordReader {
    return new RecordReader(this.document, this.object, "", this.#naming);
  }

  /** The value of a key, of any type. */
  value(key: string): number {
    const value = this.document.find(this.object, key);
    if (value < 0) {
      const keys = quotedList(this.document.keys(this.object));
      throw wrong(`${this.owner}key '${key}' not found, object contains only ${keys}`);
    }
    return value;
  }

  optionalValue(key: string): number | undefined {
    const value = this.document.find(this.object, key);
    return value < 0 || this.document.isNull(value) ? undefined : value;
  }

  integer(key: string): number {
    return this.document.integer(this.value(key)) ?? this.#fail(key, "Unable to read Int");
  }

  optionalInteger(key: string): number | undefined {
    const value = this.optionalValue(key);
    if (value === undefined) return undefined;
    return this.document.integer(value) ?? this.#fail(key, "Unable to read Int");
  }

  double(key: string): number {
    return this.document.double(this.value(key)) ?? this.#fail(key, "Unable to read Double");
  }

  optionalDouble(key: string): number | undefined {
    const value = this.optionalValue(key);
    if (value === undefined) return undefined;
    return this.document.double(value) ?? this.#fail(key, "Unable to read Double");
  }

  integers(key: string): number[] {
    return this.items(key).map(
      (item) => this.document.integer(item) ?? this.#fail(key, "Unable to read Int"),
    );
  }

  boolean(key: string): boolean {
    return this.document.boolean(this.value(key)) ?? this.#fail(key, "Unable to read Bool");
  }

  optionalBoolean(key: string): boolean | undefined {
    const value = this.optionalValue(key);
    if (value === undefined) return undefined;
    return this.document.boolean(value) ?? this.#fail(key, "Unable to read Bool");
  }

  string(key: string): string {
    return this.#text(key, this.value(key));
  }

  optionalString(key: string): string | undefined {
    const value = this.optionalValue(key);
    return value === undefined ? undefined : this.#text(key, value);
  }

  /** The key's string; undefined for anything else, without an error. */
  stringIfAny(key: string): string | undefined {
    const value = this.optionalValue(key);
    if (value === undefined || !this.document.isString(value)) return undefined;
    return this.document.string(value, true);
  }

  /** Whether the key holds true; anything else is false, without an error. */
  isTrue(key: string): boolean {
    const value = this.optionalValue(key);
    return value !== undefined && this.document.boolean(value) === true;
  }

  /** Checks that the key, if present, holds a string, without reading the string. */
  skipString(key: string): void {
    const value = this.optionalValue(key);
    if (value !== undefined && !this.document.isString(value)) {
      this.#fail(key, "Unable to read String");
    }
  }

  strings(key: string): readonly string[] {
    return this.#texts(key, this.value(key));
  }

  optionalStrings(key: string): readonly string[] | undefined {
    const value = this.optionalValue(key);
    return value === undefined ? undefined : this.#texts(key, value);
  }

  /** A string that must be one of `choices`; `type` is Ganeti's name for them. */
  choice<T extends string>(key: string, type: string, choices: readonly T[]): T {
    return this.#chosen(key, this.value(key), type, choices);
  }

  choiceList<T extends string>(key: string, type: string, choices: readonly T[]): readonly T[] {
    const items = this.items(key);
    return items.map((item) => this.#chosen(key, item, type, choices));
  }

  /** The values of a list. */
  items(key: string): number[] {
    const value = this.value(key);
    if (!this.document.isArray(value)) this.#fail(key, "Unable to read list");
    return this.document.items(value);
  }

  objectValue(key: string): number {
    return this.mustBeObject(key, this.value(key));
  }

  /** Returns `value`, which is at `key` or in its list, if it is an object. */
  mustBeObject(key: string, value: number): number {
    if (!this.document.isObject(value)) this.#fail(key, "Unable to read JSObject");
    return value;
  }

  /** Prefix of errors in the value of `key`. */
  where(key: string): string {
    return `${this.owner}${this.#naming} '${key}': `;
  }

  #text(key: string, value: number): string {
    if (!this.document.isString(value)) this.#fail(key, "Unable to read String");
    return this.document.string(value, true);
  }

  #texts(key: string, value: number): readonly string[] {
    const { document } = this;
    if (!document.isArray(value)) this.#fail(key, "Unable to read list");
    const end = document.end(value);
    if (document.first(value) === end) return noStrings;
    const texts: string[] = [];
    for (let item = document.first(value); item < end; item = document.after(item)) {
      texts.push(this.#text(key, item));
    }
    return texts;
  }

  #chosen<T extends string>(key: string, value: number, type: string, choices: readonly T[]): T {
    if (!this.document.isString(value)) {
      this.#fail(key, `Can't parse value for '${type}': Unable to read String`);
    }
    const text = this.document.string(value, true);
    const chosen = choices.indexOf(text as T);
    if (chosen < 0) this.#fail(key, `Invalid string value for type ${type}: ${quoted(text)}`);
    return choices[chosen] as T;
  }

  #fail(key: string, text: string): never {
    throw wrong(`${this.where(key)}${text}`);
  }
}

/** The error for a message of the wrong form; `text` names the fault in words of Ganeti. */
export function wrong(text: string): MessageError {
  return new MessageError("wrong_message", text);
}
