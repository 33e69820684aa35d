/**
 * Number formats of Ganeti's programs.
 *
 * All of them start from the shortest decimal digits that read back as the same double (those of JavaScript's
 * `String(x)`) and round these, ties to even: 0.125 prints as 0.12, 0.375 as 0.38. C's printf and `toFixed`
 * round the exact binary value instead, which differs in the last digit.
 */

/** For JSON, which has no notation for NaN and infinity. */
export const finiteOrNull = (value: number): number | null =>
  Number.isFinite(value) ? value : null;

/** Fixed point, as `%.<digits>f`: 1000000.5 with 0 digits is `1000000`. */
export function formatFixed(value: number, digits: number): string {
  if (!Number.isFinite(value)) return String(value);
  const { significant, pointAt } = shortestDigits(value);
  const kept = pointAt + digits;
  const head = significant.slice(0, Math.max(0, kept)).padEnd(kept, "0");
  const roundsUp = kept >= 0 && isOverHalf(significant.slice(kept), isOdd(head));
  const scaled = BigInt(head || "0") + (roundsUp ? 1n : 0n);
  const text = scaled.toString().padStart(digits + 1, "0");
  const whole = text.slice(0, text.length - digits);
  return signOf(value) + (digits > 0 ? `${whole}.${text.slice(-digits)}` : whole);
}

/**
 * All digits, with a point: `4.0`, `1.4285714285714284`; outside 0.1 up to 10^7 with an exponent:
 * `5.0e-2`, `1.0e7`.
 */
export function formatShow(value: number): string {
  const size = Math.abs(value);
  if (!Number.isFinite(value) || size === 0 || (size >= 0.1 && size < 1e7)) {
    return formatPositional(value);
  }
  const { significant, pointAt } = shortestDigits(value);
  return `${signOf(value)}${significant[0]}.${significant.slice(1) || "0"}e${pointAt - 1}`;
}

/**
 * Like C's `%g` with a precision, but of fixed length: 0 and from 0.1 up to 10^7 in fixed point, else with an
 * exponent: `46.945393`, `3.125000e-2`. `digits` follow the point.
 */
export function formatGeneral(value: number, digits: number): string {
  const size = Math.abs(value);
  if (!Number.isFinite(value) || size === 0 || (size >= 0.1 && size < 1e7)) {
    return formatFixed(value, digits);
  }
  const { significant, pointAt } = shortestDigits(value);
  const mantissa = Number(`${significant[0]}.${significant.slice(1) || "0"}`);
  const rounded = formatFixed(mantissa, digits);
  // 9.9999999 has become 10.000000.
  const carried = rounded.startsWith("10");
  const text = carried ? formatFixed(1, digits) : rounded;
  return `${signOf(value)}${text}e${pointAt - 1 + Number(carried)}`;
}

/** All digits, with a point and never an exponent: `0.00001`, `10000000000.0`. */
export function formatPositional(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const { significant, pointAt } = shortestDigits(value);
  const whole = significant.slice(0, Math.max(0, pointAt)).padEnd(pointAt, "0") || "0";
  const leadingZeros = "0".repeat(Math.max(0, -pointAt));
  const fraction = leadingZeros + significant.slice(Math.max(0, pointAt));
  return `${signOf(value)}${whole}.${fraction || "0"}`;
}

/** The digits of |value|, and the number of them before the point (negative: zeros after it). */
function shortestDigits(value: number): { significant: string; pointAt: number } {
  const [mantissa, exponent] = Math.abs(value).toExponential().split("e") as [string, string];
  return { significant: mantissa.replace(".", ""), pointAt: Number(exponent) + 1 };
}

/** Whether the cut digits are more than half a unit, or exactly half of one after an odd digit. */
function isOverHalf(cut: string, afterOdd: boolean): boolean {
  if (cut === "" || cut < "5") return false;
  return afterOdd || !/^50*$/.test(cut);
}

const isOdd = (digits: string) => "13579".includes(digits.at(-1) ?? "0");

const signOf = (value: number) => (value < 0 || Object.is(value, -0) ? "-" : "");
