/** Numbers of a JSON text as Ganeti reads them. */
import { isDigit, minus, plus, point, zero } from "./byte.js";
import { asciiText } from "./string-text.js";

/** Up to here every whole number is exact, and reading its digits one by one is too. */
const exactDigits = 15;

/**
 * The number at `offset` as an integer: fractions are rounded, halves to even (`2.5` is 2, `3.5` is
 * 4), and what does not fit in 64 bits wraps around, as in Ganeti. Beyond 2^53 the result is the
 * nearest double.
 */
export function integerAt(bytes: Uint8Array, offset: number): number {
  const simple = shortWholeNumber(bytes, offset);
  return simple === undefined ? roundedInteger(numberText(bytes, offset)) : simple;
}

/** The number at `offset` as the nearest double; infinite when it is too large for one. */
export function doubleAt(bytes: Uint8Array, offset: number): number {
  // Adding 0 turns a negative zero into the only zero that Ganeti knows here.
  return shortWholeNumber(bytes, offset) ?? Number(numberText(bytes, offset)) + 0;
}

/** A number of a few digits and nothing else; undefined if it has more to it. */
function shortWholeNumber(bytes: Uint8Array, offset: number): number | undefined {
  const negative = bytes[offset] === minus;
  let at = negative ? offset + 1 : offset;
  const last = at + exactDigits;
  let whole = 0;
  for (; at < last; at++) {
    const byte = bytes[at] as number;
    if (!isDigit(byte)) break;
    whole = whole * 10 + (byte - zero);
  }
  // A number is inside an object or array, so something always follows.
  if (isNumberByte(bytes[at] as number)) return undefined;
  return negative && whole !== 0 ? -whole : whole;
}

/** Digits, point, sign and e: what a number may consist of. */
function isNumberByte(byte: number): boolean {
  if (isDigit(byte) || byte === point || byte === plus || byte === minus) return true;
  return (byte | 0x20) === 0x65;
}

/** The number at `offset` as it is written. */
export function numberText(bytes: Uint8Array, offset: number): string {
  let at = offset;
  while (isNumberByte(bytes[at] as number)) at++;
  return asciiText(bytes, offset, at);
}

function roundedInteger(text: string): number {
  const [, sign, whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)\.?(\d*)(?:[eE]([-+]?\d+))?$/.exec(text) ?? [];
  const digits = whole + fraction;
  const scale = Number(exponent) - fraction.length;
  // How many of the digits stand before the point; a negative count means zeros behind it.
  const wholeCount = digits.length + scale;
  if (wholeCount < 0) return 0;
  const magnitude = scale >= 0 ? shifted(digits, scale) : rounded(digits, wholeCount);
  return Number(BigInt.asIntN(64, sign === "-" ? -magnitude : magnitude));
}

/** Digits and this many zeros, modulo 2^64. */
function shifted(digits: string, zeros: number): bigint {
  return zeros >= 64 ? 0n : lowBits(digits) * 10n ** BigInt(zeros);
}

/** The first `count` of the digits, modulo 2^64, rounded by those that follow; halves to even. */
function rounded(digits: string, count: number): bigint {
  const below = lowBits(digits.slice(0, count));
  const rest = digits.slice(count);
  const up = /^50*$/.test(rest) ? (below & 1n) === 1n : rest >= "5";
  return up ? below + 1n : below;
}

/** 10^64 is a multiple of 2^64, so the digits before the last 64 do not count. */
function lowBits(digits: string): bigint {
  return BigInt(digits.slice(-64));
}
