/** Words as a shell reads them. */

/** In single quotes, unless that changes nothing. Source: Ganeti, `utils.ShellQuote`. */
export const quotedWord = (word: string): string =>
  /^[-.,=:/_+@A-Za-z0-9]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
