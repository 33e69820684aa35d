/**
 * A text read by the engine's own `JSON.parse`: several times faster than the scan while the program
 * is cold, but not lossless. It is only used where nothing is lost, and only for what is accepted:
 * with the first thing out of order the text is read again by the scan, which knows the right words.
 */
import {
  backslash,
  closeBrace,
  closeBracket,
  colon,
  openBrace,
  openBracket,
  quote,
} from "./byte.js";
import type { JsonSource } from "./json-source.js";
import { depthMax } from "./scan.js";

/** Larger texts are scanned: by then the scan is warm, and takes less memory. */
const sizeMax = 32 * 1024 * 1024;

/** Thrown where the engine's reader may not have understood a text as Ganeti does. */
export class NotParsed extends Error {
  override readonly name = "NotParsed";
}

// Part of Node and of browsers, not of the language's own library.
declare const TextDecoder: {
  new (
    encoding: string,
    options: { fatal: boolean; ignoreBOM: boolean },
  ): { decode(bytes: Uint8Array): string };
};

export class ParsedJson implements JsonSource<unknown> {
  readonly root: unknown;

  /** @throws NotParsed */
  constructor(bytes: Uint8Array) {
    if (bytes.length > sizeMax || bytes[0] !== openBrace) throw new NotParsed();
    // First, because it bounds how deep the others have to go.
    const written = keysWritten(bytes);
    this.root = parse(bytes);
    // Repeated keys leave fewer than were written.
    if (countKeys(this.root) !== written) throw new NotParsed();
  }

  isObject(value: unknown): boolean {
    return typeof value === "object" && value !== null && !Array.isArray(value);
  }

  isArray(value: unknown): boolean {
    return Array.isArray(value);
  }

  isString(value: unknown): boolean {
    return typeof value === "string";
  }

  isNull(value: unknown): boolean {
    return value === null;
  }

  boolean(value: unknown): boolean | undefined {
    return typeof value === "boolean" ? value : undefined;
  }

  integer(value: unknown): number | undefined {
    if (typeof value !== "number") return undefined;
    // Rounding and wrapping need the digits as they are written.
    if (!Number.isSafeInteger(value)) throw new NotParsed();
    return value + 0;
  }

  double(value: unknown): number | undefined {
    return typeof value === "number" ? value + 0 : undefined;
  }

  string(value: unknown): string {
    return value as string;
  }

  find(object: unknown, key: string): unknown {
    return (object as Record<string, unknown>)[key];
  }

  keys(object: unknown): string[] {
    return Object.keys(object as object);
  }

  items(array: unknown): unknown[] {
    return array as unknown[];
  }

  forEachMember(object: unknown, visit: (key: string, value: unknown) => void): void {
    const record = object as Record<string, unknown>;
    for (const key in record) visit(key, record[key]);
  }

  render(): string {
    throw new NotParsed();
  }
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (cause) {
    throw new NotParsed("", { cause });
  }
}

/** Keys in all objects. Keys that look like array indices have been moved to the front: not parsed. */
function countKeys(value: unknown): number {
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value)
      if (typeof item === "object" && item !== null) count += countKeys(item);
    return count;
  }
  const record = value as Record<string, unknown>;
  for (const key in record) {
    if (count === 0 && /^\d+$/.test(key)) throw new NotParsed();
    count++;
    const member = record[key];
    if (typeof member === "object" && member !== null) count += countKeys(member);
  }
  return count;
}

/**
 * Keys in a text, if it is well-formed: colons outside strings.
 * @throws NotParsed when it has too many levels
 */
function keysWritten(bytes: Uint8Array): number {
  let keys = 0;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (inString) {
      if (byte === quote) inString = false;
      else if (byte === backslash) at++;
    } else if (byte === quote) inString = true;
    else if (byte === colon) keys++;
    else if (byte === openBrace || byte === openBracket) {
      if (++depth > depthMax) throw new NotParsed();
    } else if (byte === closeBrace || byte === closeBracket) depth--;
  }
  return keys;
}
