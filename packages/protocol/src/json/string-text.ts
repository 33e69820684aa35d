/** Text of JSON strings that the scan has validated. */
import { backslash, hexDigit, quote } from "./byte.js";

/** Characters that stand for themselves after a backslash are not listed. */
const controls: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** The text of the string without escapes whose opening quote is at `offset`. */
export function plainText(bytes: Uint8Array, offset: number): string {
  const start = offset + 1;
  let at = start;
  let ascii = true;
  for (let byte = bytes[at] as number; byte !== quote; byte = bytes[++at] as number) {
    if (byte >= 0x80) ascii = false;
  }
  return ascii ? asciiText(bytes, start, at) : utf8Text(bytes, start, at);
}

/**
 * The text of the string with escapes whose opening quote is at `offset`. Two escapes that form a surrogate
 * pair become one character; a lone one is kept.
 */
export function escapedText(bytes: Uint8Array, offset: number): string {
  let text = "";
  let start = offset + 1;
  let at = start;
  for (let byte = bytes[at] as number; byte !== quote; byte = bytes[at] as number) {
    if (byte !== backslash) {
      at++;
      continue;
    }
    text += utf8Text(bytes, start, at);
    const letter = String.fromCharCode(bytes[at + 1] as number);
    if (letter === "u") {
      let unit = 0;
      for (let i = 2; i < 6; i++) unit = unit * 16 + hexDigit(bytes[at + i] as number);
      text += String.fromCharCode(unit);
      at += 6;
    } else {
      text += controls[letter] ?? letter;
      at += 2;
    }
    start = at;
  }
  return text + utf8Text(bytes, start, at);
}

/** The bytes from `start` to `end` as characters; all of them must be ASCII. */
export function asciiText(bytes: Uint8Array, start: number, end: number): string {
  // The number of arguments of a call is limited.
  const most = 4096;
  if (end - start <= most) return String.fromCharCode.apply(null, view(bytes, start, end));
  let text = "";
  for (let at = start; at < end; at += most) {
    text += String.fromCharCode.apply(null, view(bytes, at, Math.min(at + most, end)));
  }
  return text;
}

// `apply` accepts any array-like value, but its type only arrays.
function view(bytes: Uint8Array, start: number, end: number): number[] {
  return bytes.subarray(start, end) as unknown as number[];
}

function utf8Text(bytes: Uint8Array, start: number, end: number): string {
  let text = "";
  let at = start;
  while (at < end) {
    const first = bytes[at] as number;
    const width = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    // The first byte keeps its 7, 5, 4 or 3 lowest bits, each further one 6.
    let point = width === 1 ? first : first & (0xff >> (width + 1));
    for (let i = 1; i < width; i++) point = (point << 6) | ((bytes[at + i] as number) & 0x3f);
    text += String.fromCodePoint(point);
    at += width;
  }
  return text;
}
