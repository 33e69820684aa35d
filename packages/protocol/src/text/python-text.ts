/** Values as Python's `str` and `repr` write them: Ganeti prints whatever is no plain text that way. */
import type { Json } from "../jobs/json-value.js";

/** `str(value)`: a text is itself. */
export const pythonText = (value: Json): string =>
  typeof value === "string" ? value : pythonLiteral(value);

/** `repr(value)`. Numbers are told apart only by their fraction: 1.0 has become 1 on the wire. */
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

/** Small ones have an exponent sooner than in JavaScript, one of two digits at least: `1e-05`, `1e+22`. */
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

/** In single quotes, or in double ones where the text has single ones and no double ones. */
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
