/** Values in the notation of Python's `str` and `repr`, which Ganeti uses for values that are not text. */
import type { Json } from "../jobs/json-value.js";

/** `str(value)`: a text is itself. */
export const pythonText = (value: Json): string =>
  typeof value === "string" ? value : pythonLiteral(value);

/** `repr(value)`. Only a fraction makes a number a float: 1.0 is 1 on the wire. */
export function pythonLiteral(value: Json): string {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (typeof value === "string") return quoted(value);
  if (typeof value === "number" || typeof value === "bigint") return numberText(value);
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(", ")}]`;
  const parts = Object.entries(value).map(
    ([key, one]) => `${quoted(key)}: ${pythonLiteral(one as Json)}`,
  );
  return `{${parts.join(", ")}}`;
}

/**
 * Unlike JavaScript, small numbers have an exponent earlier, and exponents have at least two digits: `1e-05`,
 * `1e+22`.
 */
function numberText(value: number | bigint): string {
  const small = typeof value === "number" && value !== 0 && Math.abs(value) < 1e-4;
  const text = small ? value.toExponential() : String(value);
  return text.replace(/e([+-])(\d)$/, "e$10$2");
}

const escapes: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

/** In single quotes, or in double quotes if the text has single quotes and no double ones. */
function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  let written = "";
  for (const sign of text) {
    if (sign === quote) written += `\\${sign}`;
    else written += escapes[sign] ?? (unprintable.test(sign) ? coded(sign) : sign);
  }
  return quote + written + quote;
}

const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;

function coded(sign: string): string {
  const code = sign.codePointAt(0) as number;
  const hex = (digits: number) => code.toString(16).padStart(digits, "0");
  if (code < 0x100) return `\\x${hex(2)}`;
  return code < 0x10000 ? `\\u${hex(4)}` : `\\U${hex(8)}`;
}
