/**
 * Lossless JSON parser and writer: an integer that a JavaScript number cannot represent exactly (such as the
 * nanoseconds of a reason trail) becomes a bigint and is written unchanged.
 */
import type { Json } from "./json-value.js";

/** Deeper nesting is refused, because it could exhaust the stack. */
const depthMax = 256;

/** A syntax error; `offset` is its position in the text, in UTF-16 units. */
export class JsonError extends Error {
  override readonly name = "JsonError";
  readonly offset: number;

  constructor(problem: string, offset: number) {
    super(`${problem} at offset ${offset}`);
    this.offset = offset;
  }
}

/**
 * O(length of the text). If a key repeats, its last value counts. A long text without long numbers is parsed
 * by the engine, which takes a third of the time on a first call. Throws JsonError.
 */
export function parseJson(text: string): Json {
  const quick = text.length < longTextMin ? undefined : quickValue(text);
  return quick ?? carefulValue(text);
}

/** Number of characters from which trying the engine's parser pays off. */
const longTextMin = 2000;

/** Integers with fewer digits are exact as numbers. */
const longNumber = /\d{16}/;

/** undefined if the engine would lose or accept more than the parser below, which then decides. */
function quickValue(text: string): Json | undefined {
  if (longNumber.test(text)) return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return isWithinBounds(value, 0) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether all numbers are finite and the nesting is within the limit. */
function isWithinBounds(value: Json | undefined, depth: number): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  if (depth === depthMax) return false;
  const parts = Array.isArray(value) ? value : Object.values(value);
  return parts.every((part) => isWithinBounds(part, depth + 1));
}

/** The value, with long integers as bigints; throws at the position of a fault. */
function carefulValue(text: string): Json {
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.skipSpace();
  if (reader.at < text.length) throw new JsonError("text after the value", reader.at);
  return value;
}

/** Compact text with keys in their own order. Throws a TypeError for NaN and infinity. */
export function writeJson(value: Json): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "number":
      if (!Number.isFinite(value)) throw new TypeError(`${value} cannot be written as JSON`);
      // For a large integer the engine writes the shortest digits, which read as a bigint are another number.
      return isLargeWhole(value) ? String(BigInt(value)) : String(value);
    case "bigint":
    case "boolean":
      return String(value);
    case "object":
      if (value === null) return "null";
      return Array.isArray(value)
        ? writeList(value)
        : writeObject(value as { [key: string]: Json });
    default:
      throw new TypeError(`${typeof value} cannot be written as JSON`);
  }
}

/** Beyond the exact integers, but written without an exponent. */
const isLargeWhole = (value: number): boolean =>
  Math.abs(value) > Number.MAX_SAFE_INTEGER && Math.abs(value) < 1e21;

function writeList(list: readonly Json[]): string {
  let text = "[";
  for (const value of list) text += `${text.length > 1 ? "," : ""}${writeJson(value)}`;
  return `${text}]`;
}

function writeObject(object: { readonly [key: string]: Json }): string {
  let text = "{";
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (value === undefined) continue;
    text += `${text.length > 1 ? "," : ""}${JSON.stringify(key)}:${writeJson(value)}`;
  }
  return `${text}}`;
}

const quote = 34;
const comma = 44;
const minus = 45;
const colon = 58;
const listStart = 91;
const listEnd = 93;
const objectStart = 123;
const objectEnd = 125;

const numberText = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;

class Reader {
  at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): Json {
    this.skipSpace();
    const code = this.#text.charCodeAt(this.at);
    if (code === quote) return this.#string();
    if (code === objectStart) return this.#object(depth + 1);
    if (code === listStart) return this.#list(depth + 1);
    if (code === minus || (code >= 48 && code <= 57)) return this.#number();
    if (this.#word("null")) return null;
    if (this.#word("true")) return true;
    if (this.#word("false")) return false;
    throw new JsonError("no value", this.at);
  }

  skipSpace(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.at);
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return;
      this.at++;
    }
  }

  #word(word: string): boolean {
    if (!this.#text.startsWith(word, this.at)) return false;
    this.at += word.length;
    return true;
  }

  #number(): number | bigint {
    numberText.lastIndex = this.at;
    const found = numberText.exec(this.#text);
    if (found === null) throw new JsonError("a number is cut off", this.at);
    const [text, fraction, exponent] = found;
    const number = Number(text);
    if (!Number.isFinite(number)) throw new JsonError("a number is too large", this.at);
    this.at += text.length;
    const whole = fraction === undefined && exponent === undefined;
    return whole && !Number.isSafeInteger(number) ? BigInt(text) : number;
  }

  /** Most strings have no escape and are sliced; the engine decodes the others. */
  #string(): string {
    const start = this.at;
    let end = this.#text.indexOf('"', start + 1);
    for (; end >= 0; end = this.#text.indexOf('"', end + 1)) {
      let slashes = 0;
      while (this.#text.charCodeAt(end - 1 - slashes) === 92) slashes++;
      if (slashes % 2 === 0) break;
    }
    if (end < 0) throw new JsonError("a string does not end", start);
    this.at = end + 1;
    const plain = this.#text.slice(start + 1, end);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids these inside strings.
    if (!/[\\\u0000-\u001f]/.test(plain)) return plain;
    try {
      return JSON.parse(this.#text.slice(start, end + 1));
    } catch {
      throw new JsonError("a string with a wrong escape or control character", start);
    }
  }

  #list(depth: number): Json[] {
    this.#enter(depth);
    const list: Json[] = [];
    if (this.#ends(listEnd)) return list;
    for (;;) {
      list.push(this.value(depth));
      if (this.#ends(listEnd)) return list;
      this.#expect(comma, "a comma or the end of a list is missing");
    }
  }

  #object(depth: number): { [key: string]: Json } {
    this.#enter(depth);
    const object: { [key: string]: Json } = {};
    if (this.#ends(objectEnd)) return object;
    for (;;) {
      this.skipSpace();
      if (this.#text.charCodeAt(this.at) !== quote) throw new JsonError("no key", this.at);
      const key = this.#string();
      this.skipSpace();
      this.#expect(colon, "a colon is missing");
      const value = this.value(depth);
      if (key === "__proto__") define(object, key, value);
      else object[key] = value;
      if (this.#ends(objectEnd)) return object;
      this.#expect(comma, "a comma or the end of an object is missing");
    }
  }

  #enter(depth: number): void {
    if (depth > depthMax) throw new JsonError(`nested deeper than ${depthMax}`, this.at);
    this.at++;
  }

  #ends(code: number): boolean {
    this.skipSpace();
    if (this.#text.charCodeAt(this.at) !== code) return false;
    this.at++;
    return true;
  }

  #expect(code: number, problem: string): void {
    if (this.#text.charCodeAt(this.at) !== code) throw new JsonError(problem, this.at);
    this.at++;
  }
}

// An assignment to `__proto__` would set the prototype instead of a property.
const define = (object: object, key: string, value: Json) =>
  Object.defineProperty(object, key, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
