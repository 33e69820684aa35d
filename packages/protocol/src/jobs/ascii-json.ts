/**
 * JSON text in ASCII: Python's and Haskell's readers accept it without loss, and its length in characters
 * equals that in bytes.
 */
import type { Json } from "./json-value.js";
import { writeJson } from "./lossless-json.js";

/** `json` with everything above U+007E as `\uXXXX`, pairs for characters above U+FFFF: the same values for every reader. */
export const asciiJson = (json: string): string =>
  json.replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/**
 * The text of `value` in ASCII. Ganeti's own LUXI server writes the low byte of each character, on which its
 * Python client fails; all readers understand escapes. @throws TypeError for a number that is not finite
 */
export const writeAsciiJson = (value: Json): string => asciiJson(writeJson(value));
