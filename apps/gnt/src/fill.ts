/** Texts broken to a width line by line; blanks within a line stay. */
export const filled = (text: string, width: number): string =>
  text
    .split("\n")
    .map((line) => filledLine(line, width))
    .join("\n");

function filledLine(text: string, width: number): string {
  const lines: string[] = [];
  let line = "";
  // Words with preceding blanks, which are dropped at a break.
  for (const piece of text.match(/\s*\S+/g) ?? []) {
    if (line !== "" && line.length + piece.length > width) {
      lines.push(line);
      line = piece.trimStart();
    } else line += piece;
  }
  return [...lines, line].join("\n");
}
