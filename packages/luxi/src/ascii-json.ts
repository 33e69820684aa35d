/** JSON text in ASCII, as both Python's and Haskell's clients read it without loss. */
import { type Json, writeJson } from "@ganeti-ts/protocol";

/**
 * The text of `value`, with everything above U+007E as `\uXXXX`. Ganeti's own server writes the low
 * byte of each character, on which its Python client dies; escapes are read by all of them.
 * @throws TypeError for a number that is not finite
 */
export const writeAsciiJson = (value: Json): string =>
  writeJson(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
