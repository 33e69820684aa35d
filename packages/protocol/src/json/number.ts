/** Numbers in JSON text, read as Ganeti reads them. */
import { isDigit, minus, plus, point, zero } from "./byte.js";
import { asciiText } from "./string-text.js";

/** Up to this number of digits every integer is exact, and so is reading it digit by digit. */
const exactDigits = 15;

/**
 * The number at `offset` as an integer: fractions are rounded, halves to even (`2.5` is 2, `3.5` is 4), and
 * values beyond 64 bits wrap around, as in Ganeti. Beyond 2^53 the result is the nearest double.
 */
export function integerAt(bytes: Uint8Array, offset: number): number {
  const simple = shortWholeNumber(bytes, offset);
  return simple === undefined ? roundedInteger(numberText(bytes, offset)) : simple;
}

/** The number at `offset` as the nearest double; infinite if it is too large. */
export function doubleAt(bytes: Uint8Array, offset: number): number {
  // Adding 0 turns negative zero into zero, because Ganeti has only one zero here.
  return shortWholeNumber(bytes, offset) ?? Number(numberText(bytes, offset)) + 0;
}

/** A number that consists of a few digits only; otherwise undefined. */
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
  // A number is inside an object or array, so another byte always follows.
  if (isNumberByte(bytes[at] as number)) return undefined;
  return negative && whole !== 0 ? -whole : whole;
}

/** Bytes that may occur in a number: digits, point, sign and e. */
function isNumberByte(byte: number): boolean {
  if (isDigit(byte) || byte === point || byte === plus || byte === minus) return true;
  return (byte | 0x20) === 0x65;
}

/** The number at `offset` as written in the text. */
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
  // Number of digits before the point; a negative count means zeros after it.
  const wholeCount = digits.length + scale;
  if (wholeCount < 0) return 0;
  const magnitude = scale >= 0 ? shifted(digits, scale) : rounded(digits, wholeCount);
  return Number(BigInt.asIntN(64, sign === "-" ? -magnitude : magnitude));
}

/** The digits followed by this many zeros, modulo 2^64. */
function shifted(digits: string, zeros: number): bigint {
  return zeros >= 64 ? 0n : lowBits(digits) * 10n ** BigInt(zeros);
}

/** The first `count` digits, modulo 2^64, rounded by the following ones; halves to even. */
function rounded(digits: string, count: number): bigint {
  const below = lowBits(digits.slice(0, count));
  const rest = digits.slice(count);
  const up = /^50*$/.test(rest) ? (below & 1n) === 1n : rest >= "5";
  return up ? below + 1n : below;
}

/** 10^64 is a multiple of 2^64, so only the last 64 digits count. */
function lowBits(digits: string): bigint {
  return BigInt(digits.slice(-64));
}
