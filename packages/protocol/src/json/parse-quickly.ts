/**
 * Reading a text by the engine's own `JSON.parse`: several times faster than the scan while the program
 * is cold. It loses repeated keys, so whoever uses what it gives counts keys: as many as were written.
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
import { depthMax } from "./scan.js";

/** Larger texts are scanned: by then the scan is warm, and takes less memory. */
const sizeMax = 32 * 1024 * 1024;

// Part of Node and of browsers, not of the language's own library.
declare const TextDecoder: {
  new (
    encoding: string,
    options: { fatal: boolean; ignoreBOM: boolean },
  ): { decode(bytes: Uint8Array): string };
};

export interface Parsed {
  /** The outermost object. */
  readonly root: object;
  /** Keys in the text, repeated ones too. */
  readonly keys: number;
}

/** Undefined for a malformed text, one that is no object, and one of too many levels. */
export function parseQuickly(bytes: Uint8Array): Parsed | undefined {
  if (bytes.length > sizeMax || bytes[0] !== openBrace) return undefined;
  // First, because it bounds how deep the engine has to go.
  const keys = countWrittenKeys(bytes);
  const root = keys === undefined ? undefined : parse(bytes);
  return keys === undefined || root === undefined ? undefined : { root, keys };
}

function parse(bytes: Uint8Array): object | undefined {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** Keys in a value and all it contains. */
export function countKeys(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const members = Array.isArray(value) ? value : Object.values(value);
  const own = Array.isArray(value) ? 0 : members.length;
  return members.reduce((count, member) => count + countKeys(member), own);
}

/** Keys in a text, if it is well-formed: colons outside strings. Undefined if it has too many levels. */
function countWrittenKeys(bytes: Uint8Array): number | undefined {
  let keys = 0;
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === quote) {
      for (at++; at < bytes.length && bytes[at] !== quote; at++) if (bytes[at] === backslash) at++;
    } else if (byte === colon) keys++;
    else if (byte === openBrace || byte === openBracket) {
      if (++depth > depthMax) return undefined;
    } else if (byte === closeBrace || byte === closeBracket) depth--;
  }
  return keys;
}
