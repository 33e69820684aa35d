/** Names with `*` and `?`, as regular expressions. */

/**
 * `*` stands for any number of characters and `?` for one, never for a dot; what follows the match
 * must be the end or a dot: `*.site` also matches `web.site.example.com`. Nothing else is special.
 * Source: Ganeti, lib/utils/text.py, `DnsNameGlobPattern`.
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
