/** Quoting of strings and lists in Ganeti's error texts. */

// Names of the control characters 0 to 31; those with an escape letter of their own use it.
const controlNames =
  "NUL SOH STX ETX EOT ENQ ACK a b t n v f r SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US";

/**
 * A string in quotes, with everything outside ASCII as a decimal escape: `"caf\233"`.
 * `\&` stands between an escape and a character that would otherwise belong to it.
 */
export function quoted(text: string): string {
  let shown = "";
  let after = "";
  for (const character of text) {
    const code = character.codePointAt(0) as number;
    const continues =
      (after === "number" && code >= 0x30 && code <= 0x39) || (after === "SO" && character === "H");
    if (continues) shown += "\\&";
    after = "";
    if (character === '"' || character === "\\") shown += `\\${character}`;
    else if (code < 0x20) {
      after = controlNames.split(" ")[code] as string;
      shown += `\\${after}`;
    } else if (code === 0x7f) shown += "\\DEL";
    else if (code > 0x7f) {
      after = "number";
      shown += `\\${code}`;
    } else shown += character;
  }
  return `"${shown}"`;
}

/** `["a","b"]` */
export function quotedList(texts: readonly string[]): string {
  return `[${texts.map(quoted).join(",")}]`;
}
