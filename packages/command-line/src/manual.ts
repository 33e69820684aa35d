/** Building blocks of manual pages, in troff's man macros. */

/** Escapes plain text: dashes stay dashes, and a line that begins with a dot or a quote is not a request. */
export const manualText = (text: string): string =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^(?=[.'])/gm, "\\&");

/** A tagged paragraph; the tag must already be escaped. */
export const manualItem = (tag: string, text: string): string[] => [".TP", tag, manualText(text)];

/** Lines as they are, in bold, with a remark below them. */
export const manualExample = (line: string, remark: string): string[] => [
  ...[".RS", ".nf", `\\fB${manualText(line)}\\fR`, ".fi", manualText(remark), ".RE"],
];

/** Title and name of a page. */
export const manualHead = (page: {
  readonly name: string;
  readonly section: 1 | 8;
  readonly summary: string;
  readonly version: string;
}): string[] => [
  `.TH ${page.name.toUpperCase()} ${page.section} "" "ganeti-ts ${page.version}" "Ganeti"`,
  ".SH NAME",
  `${manualText(page.name)} \\- ${manualText(page.summary)}`,
];
