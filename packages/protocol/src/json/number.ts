/** Integers in JSON text, read as Ganeti reads them. */

/**
 * A number of a JSON text as an integer: fractions are rounded, halves to even (`2.5` is 2, `3.5` is 4), and values
 * beyond 64 bits wrap around, as in Ganeti. Beyond 2^53 the result is the nearest double.
 */
export function roundedInteger(text: string): number {
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
