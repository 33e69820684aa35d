/** safeText: output of programs, escaped for messages. */

/**
 * `text` in printable ASCII: other characters become `\xNN` or `\uNNNN`, a tab `\t`, a carriage return `\'r'`.
 * Line feeds stay.
 */
export const safeText = (text: string): string =>
  [...text].map((character) => escaped(character)).join("");

function escaped(character: string): string {
  if (character === "\n") return character;
  if (character === "\t") return "\\t";
  // Ganeti's form of a carriage return, with its misplaced quotes [sic].
  if (character === "\r") return "\\'r'";
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0x20 && code < 0x7f) return character;
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}
