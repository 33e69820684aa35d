/**
 * Small JSON texts, parsed by the engine.
 *
 * A short-lived program interprets its code: the scan byte by byte (`scan.ts`) and the start of WebAssembly
 * (`record-scan.ts`) each take longer than the rest of a small request. The engine's parser is compiled, but
 * it does not show repeated keys, the order of keys that are integers, or digits beyond a double. Texts in
 * which these could occur are left to the complete scan.
 */
import { openBrace } from "./byte.js";
import type { JsonKind, JsonValues } from "./json-values.js";
import { depthMax } from "./scan.js";

// Provided by Node and browsers, not by the language's standard library.
declare const TextDecoder: new (
  label: string,
  options: { readonly fatal: boolean; readonly ignoreBOM: boolean },
) => { decode(bytes: Uint8Array): string };

type Parsed =
  | string
  | number
  | boolean
  | null
  | readonly Parsed[]
  | { readonly [key: string]: Parsed };

/** Thrown when a value cannot be read exactly; the complete scan reads it. */
export const inexact = new Error("not a value that the engine's parser keeps exactly");

/** Larger texts are rarely within the limit of `containersMax`. */
const sizeMax = 2 ** 16;

/** No text with this number of objects and arrays is nested more deeply than the scan allows. */
const containersMax = depthMax;

/** All integers up to this one are exact, and written with at most 15 digits. */
const exactMax = 1e15 - 1;

/** Undefined unless the text is a small object that the engine's parser keeps exactly. */
export function parsedValues(bytes: Uint8Array): JsonValues | undefined {
  if (bytes.length > sizeMax || bytes[0] !== openBrace) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!isPlain(text)) return undefined;
    const root = JSON.parse(text) as Parsed;
    return hasRepeatedKeys(text, root) ? undefined : new ParsedValues(root);
  } catch {
    return undefined; // the complete scan words the fault
  }
}

/** Few containers, no escapes, and no keys that are integers: an engine sorts those before all others. */
function isPlain(text: string): boolean {
  const containers = text.split("{").length + text.split("[").length - 2;
  return containers <= containersMax && !text.includes("\\") && !/"\d+"\s*:/.test(text);
}

/**
 * Whether keys are repeated, given a text without escapes: there, a quote before a colon ends a key, or begins
 * a string value with a colon, which a second rendering repeats. May be true by mistake, never false.
 */
function hasRepeatedKeys(text: string, root: Parsed): boolean {
  return text.split(/"\s*:/).length !== JSON.stringify(root).split('":').length;
}

class ParsedValues implements JsonValues {
  /** Numbered values; the contents of a container are numbered together, when they are first needed. */
  readonly #values: Parsed[];
  /** The number of the first content, by the number of the container. */
  readonly #first: (number | undefined)[] = [];

  constructor(root: Parsed) {
    this.#values = [root];
  }

  kind(value: number): JsonKind {
    const found = this.#values[value] as Parsed;
    if (found === null) return "null";
    if (Array.isArray(found)) return "array";
    return typeof found as JsonKind;
  }

  isObject(value: number): boolean {
    const found = this.#values[value];
    return typeof found === "object" && found !== null && !Array.isArray(found);
  }

  isArray(value: number): boolean {
    return Array.isArray(this.#values[value]);
  }

  isString(value: number): boolean {
    return typeof this.#values[value] === "string";
  }

  isNull(value: number): boolean {
    return this.#values[value] === null;
  }

  boolean(value: number): boolean | undefined {
    const found = this.#values[value];
    return typeof found === "boolean" ? found : undefined;
  }

  integer(value: number): number | undefined {
    const found = this.#values[value];
    if (typeof found !== "number") return undefined;
    if (!Number.isInteger(found) || found > exactMax || found < -exactMax) throw inexact;
    // Adding 0 turns negative zero into zero.
    return found + 0;
  }

  double(value: number): number | undefined {
    const found = this.#values[value];
    return typeof found === "number" ? found + 0 : undefined;
  }

  string(value: number): string {
    return this.#values[value] as string;
  }

  numberText(_value: number): string {
    throw inexact;
  }

  first(container: number): number {
    const known = this.#first[container];
    if (known !== undefined) return known;
    const begin = this.#values.length;
    this.#first[container] = begin;
    const found = this.#values[container] as object;
    if (Array.isArray(found)) this.#values.push(...(found as Parsed[]));
    else this.#values.push(...(Object.entries(found).flat(1) as Parsed[]));
    return begin;
  }

  end(container: number): number {
    const begin = this.first(container);
    const found = this.#values[container] as object;
    return begin + (Array.isArray(found) ? found.length : 2 * Object.keys(found).length);
  }

  after(value: number): number {
    return value + 1;
  }

  find(object: number, key: string): number {
    const found = this.#values[object] as { readonly [key: string]: Parsed };
    return Object.hasOwn(found, key) ? this.#values.push(found[key] as Parsed) - 1 : -1;
  }

  keys(object: number): string[] {
    return Object.keys(this.#values[object] as object);
  }

  items(array: number): number[] {
    const begin = this.first(array);
    return (this.#values[array] as readonly Parsed[]).map((_, index) => begin + index);
  }
}
