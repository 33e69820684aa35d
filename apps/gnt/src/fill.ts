/** Texts broken to a width, each line of them by itself; blanks within a line stay as they are. */
export const filled = (text: string, width: number): string =>
  text
    .split("\n")
    .map((line) => filledLine(line, width))
    .join("\n");

function filledLine(text: string, width: number): string {
  const lines: string[] = [];
  let line = "";
  // Words with the blanks before them: those at a break are dropped.
  for (const piece of text.match(/\s*\S+/g) ?? []) {
    if (line !== "" && line.length + piece.length > width) {
      lines.push(line);
      line = piece.trimStart();
    } else line += piece;
  }
  return [...lines, line].join("\n");
}
