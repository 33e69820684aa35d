/** HTML in which every text is escaped, unless it is markup itself. */

/** A piece of HTML that is right as it stands. */
export class Markup {
  constructor(readonly text: string) {}
}

type Part = string | number | Markup | undefined | readonly Part[];

/** A template whose values are escaped; lists are joined, undefined is nothing. */
export const html = (strings: TemplateStringsArray, ...values: readonly Part[]): Markup =>
  new Markup(strings.map((text, i) => (i === 0 ? "" : markupOf(values[i - 1])) + text).join(""));

function markupOf(part: Part): string {
  if (part === undefined) return "";
  if (part instanceof Markup) return part.text;
  if (typeof part === "object") return part.map(markupOf).join("");
  return escaped(String(part));
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** For contents of elements and quoted attributes; control characters, which no page may have, are shown as such. */
const escaped = (text: string): string =>
  text
    .replace(/[&<>"']/g, (character) => entities[character] as string)
    .replace(/(?![\t\n\r])\p{Cc}/gu, "\ufffd");
