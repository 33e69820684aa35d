/** HTML templates in which every value is escaped unless it is markup itself. */

/** A piece of valid HTML. */
export class Markup {
  constructor(readonly text: string) {}
}

type Part = string | number | Markup | undefined | readonly Part[];

/** A template whose values are escaped; lists are joined, undefined is empty. */
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

/**
 * Escapes text for contents of elements and quoted attributes; control characters, which HTML does not allow,
 * are replaced by U+FFFD.
 */
const escaped = (text: string): string =>
  text
    .replace(/[&<>"']/g, (character) => entities[character] as string)
    .replace(/(?![\t\n\r])\p{Cc}/gu, "\ufffd");
