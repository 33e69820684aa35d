/** A manual page made of the text that `--help` prints. */
import { manualExample, manualHead, manualItem, manualText } from "./manual.js";

/** A program, as its page shows it. */
interface UsageManual {
  readonly name: string;
  readonly section: 1 | 8;
  /** The purpose of the program, in the third person, without a full stop. */
  readonly summary: string;
  readonly version: string;
  /** A first line, paragraphs, rows of options, and examples below `Examples:`, each with an indented remark. */
  readonly usage: string;
  readonly files?: readonly ManualRow[];
  /** Other pages, such as `hbal(1)`. */
  readonly seeAlso: readonly string[];
}

/** An option, file or example, and the text about it. */
export type ManualRow = readonly [tag: string, text: string];

/** The page in troff's man macros. */
export function manualOfUsage(page: UsageManual): string {
  const [before = "", after = ""] = page.usage.split("\nExamples:\n");
  const [first = "", ...lines] = before.split("\n");
  const items = (rows: readonly ManualRow[], font: "B" | "I") =>
    rows.flatMap(([tag, text]) => manualItem(`\\f${font}${manualText(tag)}\\fR`, text));
  return [
    ...manualHead(page),
    ".SH SYNOPSIS",
    manualText(first.replace(/^Usage: /, "")),
    ".SH DESCRIPTION",
    ...lines.filter((line) => /^\S/.test(line)).map(manualText),
    ".SH OPTIONS",
    ...items(optionRows(lines), "B"),
    ...(page.files === undefined ? [] : [".SH FILES", ...items(page.files, "I")]),
    ".SH EXAMPLES",
    ...exampleRows(after.split("\n")).flatMap(([line, remark]) => manualExample(line, remark)),
    ".SH SEE ALSO",
    page.seeAlso.map((other) => manualText(other).replace(/^[^(]+/, "\\fB$&\\fR")).join(", "),
    "",
  ].join("\n");
}

/** Rows such as `  -p PORT    help`; lines that are indented further continue the help. */
const optionRows = (lines: readonly string[]): readonly ManualRow[] =>
  rowsOf(lines, (line) => /^ {2}(-.*?)(?: {2,}(.*))?$/.exec(line)?.slice(1));

/** Command lines, each with the remark below it, if there is one. */
const exampleRows = (lines: readonly string[]): readonly ManualRow[] =>
  rowsOf(lines, (line) => (/^ {2}\S/.test(line) ? [line.trim()] : undefined));

/** `begin` gives the tag and text of a line that begins a row; lines indented further continue its text. */
function rowsOf(
  lines: readonly string[],
  begin: (line: string) => readonly string[] | undefined,
): readonly ManualRow[] {
  const rows: [tag: string, text: string][] = [];
  for (const line of lines) {
    const [tag, text = ""] = begin(line) ?? [];
    const last = rows.at(-1);
    if (tag !== undefined) rows.push([tag, text]);
    else if (last !== undefined && /^ {4,}\S/.test(line)) {
      last[1] = `${last[1]} ${line.trim()}`.trim();
    }
  }
  return rows;
}
