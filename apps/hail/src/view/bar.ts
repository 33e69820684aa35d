/** Text bar that shows shares of a total. */

/** Letters of the parts, in the order in which they fill a bar; the rest is free. */
const letters = ["█", "▒"];

/**
 * A bar of `width` letters: each part as long as its share of `total`, the rest dotted. A non-zero part gets
 * at least one letter, as long as there are any left.
 */
export function bar(parts: readonly number[], total: number, width: number): string {
  if (!(total > 0)) return " ".repeat(width);
  let text = "";
  let upTo = 0;
  for (const [at, part] of parts.entries()) {
    if (!(part > 0)) continue;
    upTo += part;
    const end = Math.min(width, Math.max(text.length + 1, Math.round((upTo / total) * width)));
    text = text.padEnd(end, letters[at]);
  }
  return text.padEnd(width, "░");
}

/** Percentage such as `62%`; empty if the total is zero. */
export const percent = (part: number, total: number): string =>
  total > 0 ? `${Math.round((100 * part) / total)}%` : "";
