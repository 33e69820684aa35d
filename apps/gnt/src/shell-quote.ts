/** Quoting of words for a shell. */

/** In single quotes if necessary. Source: Ganeti, `utils.ShellQuote`. */
export const quotedWord = (word: string): string =>
  /^[-.,=:/_+@A-Za-z0-9]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
