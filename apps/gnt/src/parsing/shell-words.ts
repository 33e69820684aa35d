/** Words of a command line as a shell reads and quotes them. */

/** @throws Error for an unterminated quote */
export function shellWords(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] as string;
    if (quote === "'") {
      if (sign === "'") quote = "";
      else word += sign;
    } else if (sign === "\\") {
      const next = text[++at];
      if (next === undefined) throw new Error("No escaped character");
      // Between double quotes a backslash quotes only these two characters.
      word = (word ?? "") + (quote === '"' && next !== '"' && next !== "\\" ? `\\${next}` : next);
    } else if (quote === '"') {
      if (sign === '"') quote = "";
      else word += sign;
    } else if (sign === "'" || sign === '"') {
      quote = sign;
      word ??= "";
    } else if (/\s/.test(sign)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + sign;
  }
  if (quote !== "") throw new Error("No closing quotation");
  return word === undefined ? words : [...words, word];
}

/** In single quotes if necessary. Source: Ganeti, `utils.ShellQuote`. */
export const quotedWord = (word: string): string =>
  /^[-.,=:/_+@A-Za-z0-9]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
