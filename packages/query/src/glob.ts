/** Conversion of names with `*` and `?` to regular expressions. */

/**
 * `*` matches any number of characters and `?` one, never a dot; the match must be followed by the end or a
 * dot: `*.site` also matches `web.site.example.com`. No other characters are special. Source: Ganeti,
 * lib/utils/text.py, `DnsNameGlobPattern`.
 */
export function globPattern(glob: string): string {
  const pattern = glob.replace(/[\s\S]/gu, (character) => {
    if (character === "*") return "[^.]*";
    if (character === "?") return "[^.]";
    return /[()[\]{}+\-|^$\\.&~#\s]/.test(character) && character < "\x7f"
      ? `\\${character}`
      : character;
  });
  return `^${pattern}(\\..*)?$`;
}
