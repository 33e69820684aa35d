/** Parts of manual pages, in the language of man. */

/** Escapes plain text: dashes stay dashes, and a line may begin with a dot or a quote without becoming a request. */
export const manualText = (text: string): string =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^(?=[.'])/gm, "\\&");

/** A paragraph behind a tag; the tag is in the language of man already. */
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
