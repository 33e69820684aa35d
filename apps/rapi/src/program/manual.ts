/** The manual page of ganeti-rapi, from the text that `--help` prints. */
import { manualExample, manualHead, manualItem, manualText } from "@ganeti-ts/command-line";

/** `usage`: a first line, paragraphs, rows of options, and examples below `Examples:`. */
export function manualPage(usage: string, version: string): string {
  const [before = "", after = ""] = usage.split("\nExamples:\n");
  const [first = "", ...lines] = before.split("\n");
  const summary = "serves the remote API of a cluster, and works on its jobs";
  return [
    ...manualHead({ name: "ganeti-rapi", section: 8, summary, version }),
    ".SH SYNOPSIS",
    manualText(first.replace(/^Usage: /, "")),
    ".SH DESCRIPTION",
    ...lines.filter((line) => /^\S/.test(line)).map(manualText),
    ".SH OPTIONS",
    ...optionRows(lines).flatMap(([form, help]) => manualItem(`\\fB${manualText(form)}\\fR`, help)),
    ".SH EXAMPLES",
    ...exampleRows(after.split("\n")).flatMap(([line, remark]) => manualExample(line, remark)),
    ".SH SEE ALSO",
    "\\fBgnt\\-cluster\\fR(8), \\fBgnt\\-instance\\fR(8), \\fBhbal\\fR(1)",
    "",
  ].join("\n");
}

type Row = [form: string, help: string];

/** `  -p PORT    help`; what is indented further goes on with the help. */
function optionRows(lines: readonly string[]): readonly Row[] {
  const rows: Row[] = [];
  for (const line of lines) {
    const [, form, help = ""] = /^ {2}(-.*?)(?: {2,}(.*))?$/.exec(line) ?? [];
    const last = rows.at(-1);
    if (form !== undefined) rows.push([form, help]);
    else if (last !== undefined && /^ {4,}\S/.test(line))
      last[1] = `${last[1]} ${line.trim()}`.trim();
  }
  return rows;
}

/** A command line and the remark below it, which is indented further. A line without one gets an empty remark. */
function exampleRows(lines: readonly string[]): readonly Row[] {
  const rows: Row[] = [];
  for (const line of lines) {
    const last = rows.at(-1);
    if (/^ {2}\S/.test(line)) rows.push([line.trim(), ""]);
    else if (last !== undefined && line.trim() !== "") last[1] = line.trim();
  }
  return rows;
}
