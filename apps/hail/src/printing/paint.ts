/** Terminal colours, and aligned rows whose widths ignore colour codes. */

type Style = "heading" | "good" | "bad" | "hint" | "quiet";

/** Returns the text unchanged if colours are off. */
export type Paint = (style: Style, text: string) => string;

const codes: Readonly<Record<Style, string>> = {
  heading: "1",
  good: "32",
  bad: "31",
  hint: "36",
  quiet: "2",
};

export const painter =
  (colour: boolean): Paint =>
  (style, text) =>
    colour ? `\u001b[${codes[style]}m${text}\u001b[0m` : text;

export interface Row {
  readonly cells: readonly string[];
  readonly style?: Style;
}

/** @param align one letter per column: `l` or `r` */
export function alignedRows(rows: readonly Row[], align: string, paint: Paint): string[] {
  const widths = [...align].map((_, column) =>
    rows.reduce((width, { cells }) => Math.max(width, (cells[column] ?? "").length), 0),
  );
  return rows.map(({ cells, style }) => {
    const line = widths
      .map((width, column) => {
        const cell = cells[column] ?? "";
        return align[column] === "r" ? cell.padStart(width) : cell.padEnd(width);
      })
      .join("  ")
      .trimEnd();
    return style === undefined ? line : paint(style, line);
  });
}

/** Breaks at blanks; a line exceeds `width` only if a single word does. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

export const indented = (by: number, lines: readonly string[]): string[] =>
  lines.map((line) => (line === "" ? "" : `${" ".repeat(by)}${line}`));
