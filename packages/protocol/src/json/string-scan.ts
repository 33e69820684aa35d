/** Validation of one JSON string: escapes, control characters and UTF-8. */
import { backslash, hexDigit, letterU, quote } from "./byte.js";
import { syntaxError } from "./syntax-error.js";

/**
 * The position after the closing quote of the string whose opening quote must be at `position`; returned as
 * `~end` if the string contains escapes. @throws MessageError `malformed_json`
 */
export function stringEnd(bytes: Uint8Array, position: number): number {
  if (bytes[position] !== quote) throw syntaxError(bytes, position, 'expected " of a key');
  let at = position + 1;
  let escaped = false;
  for (;;) {
    const byte = bytes[at] as number;
    if (byte === quote) return escaped ? ~(at + 1) : at + 1;
    if (byte >= 0x80) at = characterEnd(bytes, at);
    else if (byte === backslash) {
      at = escapeEnd(bytes, at);
      escaped = true;
    } else if (byte >= 0x20) at++;
    else if (byte === undefined) throw syntaxError(bytes, at, 'expected " to end the string');
    else throw syntaxError(bytes, at, "expected no control character in a string");
  }
}

function escapeEnd(bytes: Uint8Array, at: number): number {
  const letter = bytes[at + 1];
  if (letter === letterU) {
    for (let i = 2; i < 6; i++) {
      if (hexDigit(bytes[at + i] ?? 0) < 0) {
        throw syntaxError(bytes, at, "expected four hexadecimal digits after \\u");
      }
    }
    return at + 6;
  }
  if (letter === undefined || !'"\\/bfnrt'.includes(String.fromCharCode(letter))) {
    throw syntaxError(bytes, at, "expected one of the escapes of JSON");
  }
  return at + 2;
}

/** The position after the character of two to four bytes at `at`. */
function characterEnd(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  const second = bytes[at + 1] ?? 0;
  // The second byte's range excludes overlong forms, surrogates and code points above U+10FFFF.
  let low = 0x80;
  let high = 0xbf;
  let width = 0;
  if (first >= 0xc2 && first <= 0xdf) width = 2;
  else if (first >= 0xe0 && first <= 0xef) {
    width = 3;
    if (first === 0xe0) low = 0xa0;
    if (first === 0xed) high = 0x9f;
  } else if (first >= 0xf0 && first <= 0xf4) {
    width = 4;
    if (first === 0xf0) low = 0x90;
    if (first === 0xf4) high = 0x8f;
  }
  let valid = width > 0 && second >= low && second <= high;
  for (let i = 2; i < width; i++) valid &&= ((bytes[at + i] ?? 0) & 0xc0) === 0x80;
  if (!valid) throw syntaxError(bytes, at, "expected UTF-8");
  return at + width;
}
