/**
 * Number syntax of Ganeti's programs in text files and option values.
 *
 * Accepted are leading blanks, a minus, hexadecimal (`0x10`), octal (`0o17`) and parentheses; not accepted
 * are a plus, a number that begins or ends with its point, and anything after the number. `label` begins the
 * error text: `n1: cannot parse string 'x'`.
 */
import { DataError } from "../model/data-error.js";

/** A whole number; one beyond 64 bits wraps around. */
export function readInteger(text: string, label: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  return toInteger(complete(scan(text, integer), text, label));
}

/** A number with or without a fraction; also `NaN` and `Infinity`. */
export function readFloat(text: string, label: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const literal = complete(scan(text, float), text, label).replace(/\s/g, "");
  return literal.startsWith("-") ? -Number(literal.slice(1)) : Number(literal);
}

/** `True` or `False`. */
export function readTruth(text: string, label: string): boolean {
  return complete(scan(text, truth), text, label) === "True";
}

/** An amount of memory or disk with its unit (none: MiB), in whole MiB cut towards zero. */
export function readSize(text: string, label: string): number {
  const scanned = scan(text, integer);
  if (scanned === undefined) throw new DataError(`${label}: Can't parse string '${text}'`);
  const unit = scanned.rest.replace(/^ +/, "");
  const bytes = unitBytes.get(unit.length > 1 ? unit.toLowerCase() : unit);
  if (bytes === undefined) throw new DataError(`${label}: Unknown unit '${unit}'`);
  const amount = BigInt(toInteger(scanned.literal));
  return Number(BigInt.asIntN(64, (amount * bytes) / mebibyte));
}

const mebibyte = 2n ** 20n;

/** One-letter units are powers of 1024 in lower case, of 1000 in upper case. */
const unitBytes: ReadonlyMap<string, bigint> = new Map(
  Object.entries({
    "": mebibyte,
    m: mebibyte,
    mib: mebibyte,
    g: 2n ** 30n,
    gib: 2n ** 30n,
    t: 2n ** 40n,
    tib: 2n ** 40n,
    M: 10n ** 6n,
    mb: 10n ** 6n,
    G: 10n ** 9n,
    gb: 10n ** 9n,
    T: 10n ** 12n,
    tb: 10n ** 12n,
  }),
);

// A decimal number is matched whole, so that `1.5` is refused instead of read as 1 with a rest.
const digits = String.raw`0[xX][\da-fA-F]+|0[oO][0-7]+|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?`;
const wordEnd = String.raw`(?![\p{L}\p{N}_'])`;
const float = new RegExp(`(?:-\\s*)?(?:${digits}|(?:NaN|Infinity)${wordEnd})`, "uy");
const integer = new RegExp(`(?:-\\s*)?(?:${digits})`, "uy");
const truth = new RegExp(`(?:True|False)${wordEnd}`, "uy");

interface Scanned {
  readonly literal: string;
  readonly rest: string;
}

/** The literal at the beginning of `text`, without blanks and parentheses around it. */
function scan(text: string, literal: RegExp): Scanned | undefined {
  const opening = (/^[\s(]*/.exec(text) as RegExpExecArray)[0];
  literal.lastIndex = opening.length;
  const found = literal.exec(text)?.[0];
  if (found === undefined || (literal === integer && isFraction(found))) return undefined;
  const depth = opening.split("(").length - 1;
  const closing = new RegExp(`(?:\\s*\\)){${depth}}`, "y");
  closing.lastIndex = literal.lastIndex;
  return closing.test(text) ? { literal: found, rest: text.slice(closing.lastIndex) } : undefined;
}

const isFraction = (literal: string) => /[.e]/i.test(literal) && !/0x/i.test(literal);

function complete(scanned: Scanned | undefined, text: string, label: string): string {
  if (scanned === undefined) throw new DataError(`${label}: cannot parse string '${text}'`);
  const { literal, rest } = scanned;
  if (rest === "") return literal;
  throw new DataError(`${label}: leftover characters when parsing '${text}': '${rest}'`);
}

function toInteger(literal: string): number {
  const magnitude = BigInt(literal.replace(/^-\s*/, ""));
  return Number(BigInt.asIntN(64, literal.startsWith("-") ? -magnitude : magnitude));
}
