/**
 * Scanned JSON text, whose values are read in place without converting all of it to JavaScript values.
 *
 * A value is identified by the index of its entry on the tape (see `scan.ts`); the outermost one is 0. Order,
 * repeated keys and integer-like keys are preserved.
 */
import {
  isDigit,
  letterF,
  letterN,
  letterT,
  minus,
  openBrace,
  openBracket,
  quote,
} from "./byte.js";
import type { JsonKind, JsonValues } from "./json-values.js";
import { doubleAt, integerAt, numberText } from "./number.js";
import { scanJson } from "./scan.js";
import { StringPool } from "./string-pool.js";
import { escapedText, plainText } from "./string-text.js";

/** JSON bytes with an index of their values, read without making objects of them. */
export class JsonDocument implements JsonValues {
  readonly bytes: Uint8Array;
  readonly #tape: Int32Array;
  readonly #pool: StringPool;

  /** @throws MessageError `malformed_json` */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#tape = scanJson(bytes);
    this.#pool = new StringPool(bytes);
  }

  kind(value: number): JsonKind {
    switch (this.#firstByte(value)) {
      case openBrace:
        return "object";
      case openBracket:
        return "array";
      case quote:
        return "string";
      case letterT:
      case letterF:
        return "boolean";
      case letterN:
        return "null";
      default:
        return "number";
    }
  }

  isObject(value: number): boolean {
    return this.#firstByte(value) === openBrace;
  }

  isArray(value: number): boolean {
    return this.#firstByte(value) === openBracket;
  }

  isString(value: number): boolean {
    return this.#firstByte(value) === quote;
  }

  isNull(value: number): boolean {
    return this.#firstByte(value) === letterN;
  }

  /** True or false for a boolean, undefined for anything else. */
  boolean(value: number): boolean | undefined {
    const first = this.#firstByte(value);
    return first === letterT ? true : first === letterF ? false : undefined;
  }

  /** A number rounded to an integer as Ganeti does (see `integerAt`), undefined for anything else. */
  integer(value: number): number | undefined {
    const offset = this.#tape[value] as number;
    return offset >= 0 && isNumberStart(this.bytes[offset] as number)
      ? integerAt(this.bytes, offset)
      : undefined;
  }

  double(value: number): number | undefined {
    const offset = this.#tape[value] as number;
    return offset >= 0 && isNumberStart(this.bytes[offset] as number)
      ? doubleAt(this.bytes, offset)
      : undefined;
  }

  /** The text of a string or key. `shared` keeps one copy of frequently repeated strings. */
  string(value: number, shared = false): string {
    const entry = this.#tape[value] as number;
    if (entry < 0) return escapedText(this.bytes, ~entry);
    return shared ? this.#pool.textAt(entry) : plainText(this.bytes, entry);
  }

  /** A number as written in the text. */
  numberText(value: number): string {
    return numberText(this.bytes, this.#tape[value] as number);
  }

  /** The first entry inside an object (a key) or array (a value); `end` if it is empty. */
  first(container: number): number {
    return container + 2;
  }

  /** The entry after the contents of an object or array. */
  end(container: number): number {
    return this.#tape[container + 1] as number;
  }

  /** The entry that follows `value`: the next one in its array, or the next key. */
  after(value: number): number {
    const first = this.#firstByte(value);
    return first === openBrace || first === openBracket
      ? (this.#tape[value + 1] as number)
      : value + 1;
  }

  /** The value of the first of an object's keys that equals `key` (ASCII); -1 if there is none. */
  find(object: number, key: string): number {
    const end = this.end(object);
    for (let at = object + 2; at < end; at = this.after(at + 1)) {
      if (this.#isKey(at, key)) return at + 1;
    }
    return -1;
  }

  /** The keys of an object, in order, with repetitions. */
  keys(object: number): string[] {
    const keys: string[] = [];
    const end = this.end(object);
    for (let key = object + 2; key < end; key = this.after(key + 1)) keys.push(this.string(key));
    return keys;
  }

  /** The values of an array, in order. */
  items(array: number): number[] {
    const items: number[] = [];
    const end = this.end(array);
    for (let item = array + 2; item < end; item = this.after(item)) items.push(item);
    return items;
  }

  #isKey(entry: number, key: string): boolean {
    const offset = this.#tape[entry] as number;
    if (offset < 0) return this.string(entry) === key;
    for (let i = 0; i < key.length; i++) {
      if (this.bytes[offset + 1 + i] !== key.charCodeAt(i)) return false;
    }
    return this.bytes[offset + 1 + key.length] === quote;
  }

  #firstByte(value: number): number {
    const entry = this.#tape[value] as number;
    return this.bytes[entry < 0 ? ~entry : entry] as number;
  }
}

function isNumberStart(byte: number): boolean {
  return isDigit(byte) || byte === minus;
}
