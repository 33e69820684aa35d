/** Bytes with a meaning in JSON text. */
export const quote = 0x22;
export const backslash = 0x5c;
export const comma = 0x2c;
export const colon = 0x3a;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;
export const openBracket = 0x5b;
export const closeBracket = 0x5d;
export const minus = 0x2d;
export const plus = 0x2b;
export const point = 0x2e;
export const zero = 0x30;
const nine = 0x39;
export const letterF = 0x66;
export const letterN = 0x6e;
export const letterT = 0x74;
export const letterU = 0x75;

/** The value of a hexadecimal digit, or -1. */
export function hexDigit(byte: number): number {
  if (byte >= zero && byte <= nine) return byte - zero;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : -1;
}

export function isDigit(byte: number): boolean {
  return byte >= zero && byte <= nine;
}
