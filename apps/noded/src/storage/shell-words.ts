/** shellWords: splits a text like a shell command line, without any expansion. */
import { NodeFailure } from "../failure.js";

const part = /\s+|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)/sy;

/** Words of the text; throws NodeFailure for an unterminated quotation. */
export function shellWords(text: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  part.lastIndex = 0;
  while (part.lastIndex < text.length) {
    const found = part.exec(text);
    if (found === null) throw new NodeFailure(`No closing quotation in '${text}'`);
    const [all, single, double, escaped, plain] = found;
    if (/^\s/.test(all)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    // Within double quotes a backslash escapes only a double quote or a backslash.
    const piece = single ?? double?.replaceAll(/\\(["\\])/g, "$1") ?? escaped ?? plain ?? "";
    word = (word ?? "") + piece;
  }
  if (word !== undefined) words.push(word);
  return words;
}
