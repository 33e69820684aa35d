/**
 * Values of a JSON text, each identified by a number; the outermost value has number 0.
 *
 * The contents of an object are key, value, key, value, those of an array its values, with neighbouring numbers.
 * Order, repeated keys and integer-like keys are preserved.
 */
import { roundedInteger } from "./number.js";

/** Nesting limit of objects and arrays; a real message has 7 levels. */
export const depthMax = 512;

/** A number as written in the text, unless it is a number that JavaScript writes in the same digits. */
export class Digits {
  constructor(readonly text: string) {}
}

/** The keys and values of an object, in order. */
export class Members {
  constructor(readonly list: readonly JsonTree[]) {}
}

/** A text as read: objects are `Members`, or plain where the engine's parser has kept all of their keys in order. */
export type JsonTree =
  | string
  | number
  | boolean
  | null
  | Digits
  | Members
  | readonly JsonTree[]
  | { readonly [key: string]: JsonTree };

/** The kinds of JSON values. */
type JsonKind = "object" | "array" | "string" | "number" | "boolean" | "null";

/** The values of a JSON text by number. */
export class JsonDocument {
  /** Numbered values; the contents of a container are numbered together, when they are first needed. */
  readonly #values: JsonTree[];
  /** The number of the first content, by the number of the container. */
  readonly #firsts: (number | undefined)[] = [];

  constructor(root: JsonTree) {
    this.#values = [root];
  }

  kind(value: number): JsonKind {
    const found = this.#values[value];
    if (found === null) return "null";
    if (Array.isArray(found)) return "array";
    return found instanceof Digits ? "number" : (typeof found as JsonKind);
  }

  isObject(value: number): boolean {
    return this.kind(value) === "object";
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

  /** True or false for a boolean, undefined for anything else. */
  boolean(value: number): boolean | undefined {
    const found = this.#values[value];
    return typeof found === "boolean" ? found : undefined;
  }

  /** A number rounded to an integer as Ganeti does (see `roundedInteger`), undefined for anything else. */
  integer(value: number): number | undefined {
    const found = this.#values[value];
    // Adding 0 turns negative zero into zero.
    if (Number.isInteger(found)) return (found as number) + 0;
    return this.kind(value) === "number" ? roundedInteger(this.numberText(value)) : undefined;
  }

  /** A number as the nearest double, infinite if it is too large; undefined for anything else. */
  double(value: number): number | undefined {
    const found = this.#values[value];
    if (found instanceof Digits) return Number(found.text) + 0;
    return typeof found === "number" ? found + 0 : undefined;
  }

  /** The text of a string or key. */
  string(value: number): string {
    return this.#values[value] as string;
  }

  /** The digits of a number. */
  numberText(value: number): string {
    const found = this.#values[value];
    return found instanceof Digits ? found.text : String(found);
  }

  /** The first entry inside an object (a key) or array (a value); `end` if it is empty. */
  first(container: number): number {
    const known = this.#firsts[container];
    if (known !== undefined) return known;
    const first = this.#values.length;
    this.#firsts[container] = first;
    for (const value of this.#contents(container)) this.#values.push(value);
    return first;
  }

  /** The entry after the contents of an object or array. */
  end(container: number): number {
    return this.first(container) + this.#contents(container).length;
  }

  /** The value of the first of an object's keys that equals `key`; -1 if there is none. */
  find(object: number, key: string): number {
    const found = this.#values[object];
    if (!(found instanceof Members)) {
      const members = found as { readonly [key: string]: JsonTree };
      return Object.hasOwn(members, key) ? this.#values.push(members[key] as JsonTree) - 1 : -1;
    }
    const { list } = found;
    for (let at = 0; at < list.length; at += 2) {
      if (list[at] === key) return this.#values.push(list[at + 1] as JsonTree) - 1;
    }
    return -1;
  }

  /** The keys of an object, in order, with repetitions. */
  keys(object: number): string[] {
    return this.#contents(object).filter((_, at) => at % 2 === 0) as string[];
  }

  /** The values of an array, in order. */
  items(array: number): number[] {
    const first = this.first(array);
    return this.#contents(array).map((_, at) => first + at);
  }

  #contents(container: number): readonly JsonTree[] {
    const found = this.#values[container];
    if (found instanceof Members) return found.list;
    return Array.isArray(found) ? found : Object.entries(found as object).flat(1);
  }
}
