/**
 * Small JSON texts, parsed by the engine.
 *
 * A short-lived program interprets its code: the complete reader (`complete-json.ts`) and the start of WebAssembly
 * (`record-scan.ts`) each take longer than the rest of a small request. The engine's parser is compiled, but
 * it does not show repeated keys, the order of keys that are integers, or digits beyond a double. Texts in
 * which these could occur are left to the complete reader.
 */

import { depthMax, JsonDocument, type JsonTree } from "./json-document.js";

// Provided by Node and browsers, not by the language's standard library.
declare const TextDecoder: new (
  label: string,
  options: { readonly fatal: boolean; readonly ignoreBOM: boolean },
) => { decode(bytes: Uint8Array): string };

/** Larger texts are rarely within the limit of `containersMax`. */
const sizeMax = 2 ** 16;

/** No text with this number of objects and arrays is nested more deeply than the complete reader allows. */
const containersMax = depthMax;

/** Undefined unless the text is a small object that the engine's parser keeps exactly. */
export function engineDocument(bytes: Uint8Array): JsonDocument | undefined {
  if (bytes.length > sizeMax || bytes[0] !== 0x7b) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!isPlain(text)) return undefined;
    const root = JSON.parse(text) as JsonTree;
    return hasRepeatedKeys(text, root) ? undefined : new JsonDocument(root);
  } catch {
    return undefined; // the complete reader words the fault
  }
}

/**
 * Few containers, no escapes, no keys that are integers (an engine sorts those before all others), and no numbers
 * of more than 15 digits or with an exponent: all others are written by JavaScript as the same number.
 */
const isPlain = (text: string): boolean =>
  text.split("{").length + text.split("[").length - 2 <= containersMax &&
  !/\\|"\d+"\s*:|\d[\d.]{15}|[:,[]\s*-?[\d.]+[eE]/.test(text);

/**
 * Whether keys are repeated, given a text without escapes: there, a quote before a colon ends a key, or begins
 * a string value with a colon, which a second rendering repeats. May be true by mistake, never false.
 */
function hasRepeatedKeys(text: string, root: JsonTree): boolean {
  return text.split(/"\s*:/).length !== JSON.stringify(root).split('":').length;
}
