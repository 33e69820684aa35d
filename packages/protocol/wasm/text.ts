/**
 * Reader of the text: a position in it, and functions that skip JSON tokens.
 *
 * Functions that return a `bool` report whether the token was there; if not, the position is undefined, and
 * the scan is over.
 */

const blank: u32 = 0x20;
export const quote: u32 = 0x22;
export const comma: u32 = 0x2c;
const plus: u32 = 0x2b;
const minus: u32 = 0x2d;
const point: u32 = 0x2e;
export const zero: u32 = 0x30;
const colon: u32 = 0x3a;
export const question: u32 = 0x3f;
export const openBracket: u32 = 0x5b;
const backslash: u32 = 0x5c;
export const closeBracket: u32 = 0x5d;
const letterE: u32 = 0x65;
export const letterT: u32 = 0x74;
export const openBrace: u32 = 0x7b;
export const closeBrace: u32 = 0x7d;

// The four bytes of `true`, `null` and `fals`, as one number.
const wordTrue: u32 = 0x65757274;
const wordNull: u32 = 0x6c6c756e;
const wordFals: u32 = 0x736c6166;

/** Nesting limit of objects and arrays. */
const depthMax: u32 = 64;

/** The next byte. A text is followed by at least 8 zeros, which end every loop. */
let at: usize = 0;

const everyByte: u64 = 0x01010101 * (((<u64>1) << 32) + 1);
const highBits: u64 = 0x80 * everyByte;

/**
 * Sets the high bit of each of eight bytes that is not a plain character of a string: a quote, a backslash, a
 * control character, or beyond ASCII. The first byte is the lowest.
 */
export function specialBytes(eight: u64): u64 {
  // Sums of seven bits do not reach into the next byte.
  const low = eight & ~highBits;
  const beyond = eight | (low + everyByte);
  const control = ~(low + (0x80 - 0x20) * everyByte);
  const isQuote = ~((low ^ (<u64>quote * everyByte)) + 0x7f * everyByte);
  const isBackslash = ~((low ^ (<u64>backslash * everyByte)) + 0x7f * everyByte);
  return (beyond | control | isQuote | isBackslash) & highBits;
}

export function position(): usize {
  return at;
}

export function moveTo(position: usize): void {
  at = position;
}

export function byteAt(): u32 {
  return load<u8>(at);
}

/** Skips one byte, which the caller has checked. */
export function passed(): bool {
  at++;
  return true;
}

export function isNull(): bool {
  return load<u32>(at) === wordNull;
}

export function space(): void {
  while (byteAt() === blank || (byteAt() >= 0x09 && byteAt() <= 0x0d)) at++;
}

export function afterKey(): bool {
  space();
  if (byteAt() !== colon) return false;
  at++;
  space();
  return true;
}

export function afterComma(): bool {
  if (byteAt() !== comma) return false;
  at++;
  space();
  return true;
}

/** Passes `true`, `false` or `null`. */
export function literal(): bool {
  const four = load<u32>(at);
  at += 4;
  if (four === wordTrue || four === wordNull) return true;
  return four === wordFals && byteAt() === letterE && passed();
}

/** Puts an integer of up to 9 digits into `word`. */
export function integer(word: usize): bool {
  const negative = byteAt() === minus;
  if (negative) at++;
  const first = at;
  let sum: i32 = 0;
  let digit = byteAt() - zero;
  while (digit < 10) {
    sum = sum * 10 + digit;
    at++;
    digit = byteAt() - zero;
  }
  const count = at - first;
  if (count === 0 || count > 9 || byteAt() === point || (byteAt() | 0x20) === letterE) return false;
  // No leading zeros, and no -0.
  if (load<u8>(first) === zero && (count > 1 || negative)) return false;
  store<i32>(word, negative ? -sum : sum);
  return true;
}

/** Passes any value inside of `depth` objects and arrays. */
export function skip(depth: u32): bool {
  const first = byteAt();
  if (first === quote) return skipString();
  if (first === openBrace || first === openBracket) return skipContent(first, depth + 1);
  return first === minus || first - zero < 10 ? skipNumber() : literal();
}

function skipContent(open: u32, depth: u32): bool {
  if (depth > depthMax) return false;
  const close = open + 2;
  at++;
  space();
  if (byteAt() === close) return passed();
  while (true) {
    if (open === openBrace && !(skipString() && afterKey())) return false;
    if (!skip(depth)) return false;
    space();
    if (byteAt() === close) return passed();
    if (!afterComma()) return false;
  }
}

export function skipString(): bool {
  if (byteAt() !== quote) return false;
  let position = at + 1;
  let special = specialBytes(load<u64>(position));
  while (special === 0) {
    position += 8;
    special = specialBytes(load<u64>(position));
  }
  position += <usize>(ctz(special) >>> 3);
  at = position + 1;
  return load<u8>(position) === quote;
}

function skipNumber(): bool {
  if (byteAt() === minus) at++;
  const leading = byteAt() === zero;
  const count = skipDigits();
  if (count === 0 || (leading && count > 1)) return false;
  if (byteAt() === point) {
    at++;
    if (skipDigits() === 0) return false;
  }
  if ((byteAt() | 0x20) !== letterE) return true;
  at++;
  if (byteAt() === minus || byteAt() === plus) at++;
  return skipDigits() > 0;
}

function skipDigits(): usize {
  const first = at;
  while (byteAt() - zero < 10) at++;
  return at - first;
}
