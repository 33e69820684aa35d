/** A bar that shows shares of a whole. */

/** In the order in which they fill a bar; what is left is free. */
const letters = ["█", "▒"];

/**
 * `width` letters: each part as long as its share of `total`, what is left dotted. A part that is not
 * nothing gets a letter at least, as long as there are any.
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

/** `62%`; nothing of nothing. */
export const percent = (part: number, total: number): string =>
  total > 0 ? `${Math.round((100 * part) / total)}%` : "";
