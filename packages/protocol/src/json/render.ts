/** JSON values in the notation of Ganeti's error texts. */
import type { JsonValues } from "./json-values.js";

/** Longer texts are cut. */
const charactersMax = 1000;

/**
 * The value on one line, with a blank after colons and commas, numbers in their shortest form and control
 * characters as `\u00XX`.
 */
export function renderJson(document: JsonValues, value: number): string {
  const text = rendered(document, value, charactersMax);
  return text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text;
}

/** Like `renderJson`, but stops early at a text longer than `room`. */
function rendered(document: JsonValues, value: number, room: number): string {
  switch (document.kind(value)) {
    case "null":
      return "null";
    case "boolean":
      return String(document.boolean(value));
    case "number":
      return renderedNumber(document.numberText(value));
    case "string":
      return renderedString(document.string(value));
    case "array": {
      let text = "[";
      for (const item of document.items(value)) {
        if (text.length > room) break;
        text += `${text === "[" ? "" : ", "}${rendered(document, item, room - text.length)}`;
      }
      return `${text}]`;
    }
    case "object": {
      let text = "{";
      const end = document.end(value);
      for (let key = document.first(value); key < end; key = document.after(key + 1)) {
        if (text.length > room) break;
        text += `${text === "{" ? "" : ", "}${renderedString(document.string(key))}: `;
        text += rendered(document, key + 1, room - text.length);
      }
      return `${text}}`;
    }
  }
}

/** Integers in full, others with an exponent below 0.1 and from 10^7 on. */
function renderedNumber(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)\.?(\d*)(?:[eE]([-+]?\d+))?$/.exec(text) ?? [];
  const zeros = Number(exponent) - fraction.length;
  if (zeros >= 0 && zeros <= charactersMax) {
    const digits = `${whole}${fraction}${"0".repeat(zeros)}`.replace(/^0+(?=\d)/, "");
    return digits === "0" ? digits : `${sign}${digits}`;
  }
  const number = Number(text);
  if (Number.isSafeInteger(number)) return String(number + 0);
  if (!Number.isFinite(number)) return text;
  const size = Math.abs(number);
  if (size >= 0.1 && size < 1e7) return String(number);
  const [mantissa = "", power] = number.toExponential().split("e");
  return `${mantissa.includes(".") ? mantissa : `${mantissa}.0`}e${Number(power)}`;
}

function renderedString(text: string): string {
  let shown = "";
  for (const character of text) {
    const code = character.charCodeAt(0);
    if (character === '"' || character === "\\") shown += `\\${character}`;
    else if (code < 0x20 || code === 0x7f) shown += `\\u${code.toString(16).padStart(4, "0")}`;
    else shown += character;
  }
  return `"${shown}"`;
}
