/** JSON text in ASCII: a node daemon counts the body in characters, and its length in bytes. */
import { type Json, writeJson } from "@ganeti-ts/protocol";

/**
 * The text of `value`, with everything above U+007E as `\uXXXX`.
 * @throws TypeError for a number that is not finite
 */
export const writeAsciiJson = (value: Json): string =>
  writeJson(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
