/**
 * First pass over a JSON text: is it well-formed, and where does every value begin?
 *
 * The answer is a tape of integers, in the order of the text:
 *
 * | token | entries |
 * |---|---|
 * | object, array | offset of its bracket; index of the entry after its last content |
 * | string, key | offset of its opening quote `o`, written as `~o` when it contains escapes |
 * | number, true, false, null | offset of its first byte |
 *
 * An object's content is key, value, key, value; an array's its values. Nothing is copied from the
 * text, so the tape costs about as much memory as the text, and values are read when asked for.
 */
import {
  closeBrace,
  closeBracket,
  colon,
  comma,
  isDigit,
  letterF,
  letterN,
  letterT,
  minus,
  openBrace,
  openBracket,
  plus,
  point,
  quote,
  zero,
} from "./byte.js";
import { skipSpace } from "./space.js";
import { stringEnd } from "./string-scan.js";
import { jsonError, syntaxError } from "./syntax-error.js";

/** Nesting limit of objects and arrays; a real message has 7 levels. */
export const depthMax = 512;

/** Offsets are stored in 31 bits. */
const sizeMax = 0x7fff_ffff;

/**
 * The tape of `bytes`; its first entry is the outermost object or array.
 *
 * Accepts what Ganeti's reader accepts: JSON (RFC 8259) whose outermost value is an object or array with
 * nothing before it, plus numbers that end with a point (`1.`) and the blanks of `skipSpace`. @throws
 * MessageError `malformed_json`
 */
export function scanJson(bytes: Uint8Array): Int32Array<ArrayBuffer> {
  if (bytes.length > sizeMax) throw jsonError(`${bytes.length} bytes are too many (${sizeMax})`);
  if (bytes[0] !== openBrace && bytes[0] !== openBracket) {
    throw jsonError("Invalid JSON: a JSON text a serialized object or array at the top level.");
  }
  let tape = new Int32Array(Math.ceil(bytes.length / 6) + 64);
  let used = 0;
  let position = 0;
  // Tape indices of the open objects and arrays.
  const open = new Int32Array(depthMax);
  let depth = 0;

  for (;;) {
    // A value begins at `position`. It takes at most two entries, and the key of the next one a third.
    if (used + 3 > tape.length) tape = grown(tape, position / bytes.length);
    const first = position < bytes.length ? (bytes[position] as number) : -1;
    if (first === quote) {
      const after = stringEnd(bytes, position);
      tape[used++] = after < 0 ? ~position : position;
      position = after < 0 ? ~after : after;
    } else if (first === openBrace || first === openBracket) {
      if (depth === depthMax) {
        throw syntaxError(bytes, position, `more than ${depthMax} levels of nesting`);
      }
      open[depth++] = used;
      tape[used] = position;
      used += 2;
      position = skipSpace(bytes, position + 1);
      const close = first === openBrace ? closeBrace : closeBracket;
      if (bytes[position] !== close) {
        if (first === openBracket) continue;
        const after = stringEnd(bytes, position);
        tape[used++] = after < 0 ? ~position : position;
        position = afterColon(bytes, after < 0 ? ~after : after);
        continue;
      }
      // An empty one is closed below, like any other.
    } else {
      tape[used++] = position;
      position = scalarEnd(bytes, position, first);
    }

    // After a value (or before the end of an empty object or array): close all containers that end here.
    for (;;) {
      position = skipSpace(bytes, position);
      if (depth === 0) {
        if (position === bytes.length) return tape.subarray(0, used);
        throw syntaxError(bytes, position, "expected nothing more");
      }
      const container = open[depth - 1] as number;
      const inObject = bytes[tape[container] as number] === openBrace;
      const next = bytes[position];
      if (next === comma) {
        position = skipSpace(bytes, position + 1);
        if (inObject) {
          const after = stringEnd(bytes, position);
          tape[used++] = after < 0 ? ~position : position;
          position = afterColon(bytes, after < 0 ? ~after : after);
        }
        break;
      }
      if (next !== (inObject ? closeBrace : closeBracket)) {
        throw syntaxError(bytes, position, `expected , or ${inObject ? "}" : "]"}`);
      }
      tape[container + 1] = used;
      depth--;
      position++;
    }
  }
}

/** A longer tape with the same content; `progress` is the share of the text already read. */
function grown(tape: Int32Array, progress: number): Int32Array<ArrayBuffer> {
  const expected = progress > 0 ? (tape.length / progress) * 1.1 : 0;
  const length = Math.max(tape.length * 1.25 + 64, Math.min(expected, tape.length * 4));
  const longer = new Int32Array(Math.ceil(length));
  longer.set(tape);
  return longer;
}

/** The position of the value after a key that ends at `position`. */
function afterColon(bytes: Uint8Array, position: number): number {
  const at = skipSpace(bytes, position);
  if (bytes[at] !== colon) throw syntaxError(bytes, at, "expected : after the key");
  return skipSpace(bytes, at + 1);
}

/** The position after the number, `true`, `false` or `null` that begins with byte `first`. */
function scalarEnd(bytes: Uint8Array, position: number, first: number): number {
  if (isDigit(first) || first === minus) return numberEnd(bytes, position);
  if (first === letterT) return wordEnd(bytes, position, "true");
  if (first === letterF) return wordEnd(bytes, position, "false");
  if (first === letterN) return wordEnd(bytes, position, "null");
  throw syntaxError(bytes, position, "expected a value");
}

function wordEnd(bytes: Uint8Array, position: number, word: string): number {
  for (let i = 1; i < word.length; i++) {
    if (bytes[position + i] !== word.charCodeAt(i)) {
      throw syntaxError(bytes, position, "expected a value");
    }
  }
  return position + word.length;
}

function numberEnd(bytes: Uint8Array, position: number): number {
  let at = bytes[position] === minus ? position + 1 : position;
  const leading = at;
  at = digitsEnd(bytes, at);
  if (at === leading) throw syntaxError(bytes, at, "expected a digit");
  if (bytes[leading] === zero && at > leading + 1) {
    throw syntaxError(bytes, leading, "expected no leading zero");
  }
  if (bytes[at] === point) {
    const fraction = at + 1;
    at = digitsEnd(bytes, fraction);
    if (at === fraction) return at; // `1.` is a number here, `1.e5` is not
  }
  if (((bytes[at] ?? 0) | 0x20) === 0x65) {
    const sign = bytes[at + 1];
    const exponent = sign === plus || sign === minus ? at + 2 : at + 1;
    at = digitsEnd(bytes, exponent);
    if (at === exponent) throw syntaxError(bytes, at, "expected a digit of the exponent");
  }
  return at;
}

function digitsEnd(bytes: Uint8Array, position: number): number {
  let at = position;
  while (isDigit(bytes[at] as number)) at++;
  return at;
}
