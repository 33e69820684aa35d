/** Bounds on the size of a JSON value, checked on the text before it is parsed. */

export interface JsonBounds {
  /** Maximum nesting of lists and objects. */
  readonly depthMax: number;
  /** Maximum number of keys of one object. */
  readonly keysMax: number;
  /** Maximum number of values of all lists and objects together. */
  readonly valuesMax: number;
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const listStart = 0x5b;
const backslash = 0x5c;
const listEnd = 0x5d;
const objectStart = 0x7b;
const objectEnd = 0x7d;

/**
 * The bound that the text exceeds, in words; undefined if it exceeds none, or is not JSON up to that point. One pass over
 * the bytes, without allocations.
 */
export function exceededBound(
  text: Uint8Array,
  { depthMax, keysMax, valuesMax }: JsonBounds,
): string | undefined {
  const keys = new Uint32Array(depthMax + 1);
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case quote:
        at = endOfString(text, at);
        break;
      case listStart:
      case objectStart:
        if (depth === depthMax) return `lists and objects more than ${depthMax} deep`;
        depth += 1;
        values += 1;
        keys[depth] = 0;
        break;
      case listEnd:
      case objectEnd:
        depth = Math.max(0, depth - 1);
        break;
      case comma:
        values += 1;
        if (values > valuesMax) return `more than ${valuesMax} values`;
        break;
      case colon: {
        const count = (keys[depth] ?? 0) + 1;
        if (count > keysMax) return `more than ${keysMax} keys in one object`;
        keys[depth] = count;
        break;
      }
      default:
    }
  }
  return undefined;
}

/** Position of the closing quote, or of the end. */
function endOfString(text: Uint8Array, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === backslash) at += 1;
    else if (text[at] === quote) return at;
  }
  return text.length;
}
