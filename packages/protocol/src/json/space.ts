/** Blanks between the tokens of a JSON text. */

/**
 * The first non-blank position from `position` on.
 *
 * Blanks include vertical tab, form feed and the Unicode spaces, in addition to those of JSON, as in Ganeti's
 * reader.
 */
export function skipSpace(bytes: Uint8Array, position: number): number {
  let at = position;
  for (;;) {
    const byte = bytes[at];
    if (byte === undefined) return at;
    if (byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)) at++;
    else if (byte < 0x80) return at;
    else {
      const width = wideSpace(bytes, at);
      if (width === 0) return at;
      at += width;
    }
  }
}

/** Length in UTF-8 of the Unicode space at `at`; 0 if there is none. */
function wideSpace(bytes: Uint8Array, at: number): number {
  const [second = 0, third = 0] = [bytes[at + 1], bytes[at + 2]];
  switch (bytes[at]) {
    case 0xc2: // U+00A0
      return second === 0xa0 ? 2 : 0;
    case 0xe1: // U+1680
      return second === 0x9a && third === 0x80 ? 3 : 0;
    case 0xe2: // U+2000 to U+200A, U+202F, U+205F
      if (second === 0x80) return (third >= 0x80 && third <= 0x8a) || third === 0xaf ? 3 : 0;
      return second === 0x81 && third === 0x9f ? 3 : 0;
    case 0xe3: // U+3000
      return second === 0x80 && third === 0x80 ? 3 : 0;
    default:
      return 0;
  }
}
