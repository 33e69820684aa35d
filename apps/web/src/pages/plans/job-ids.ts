/** Job ids in the URL: `12-19,21`. */

/** Maximum number of jobs of a plan; ids beyond it are ignored. */
const idsMax = 10_000;

/** Reads job ids: ascending and unique; other texts are ignored. */
export function idsIn(text: string): readonly number[] {
  const ids = new Set<number>();
  for (const part of text.split(",")) {
    const [, first, last = first] = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(part) ?? [];
    if (first === undefined) continue;
    const end = Math.min(Number(last), Number(first) + idsMax);
    for (let id = Number(first); id <= end && ids.size < idsMax; id++) ids.add(id);
  }
  return [...ids].sort((a, b) => a - b);
}

/** The text that `idsIn` reads as the same ids. */
export function textOfIds(ids: readonly number[]): string {
  const parts: string[] = [];
  const sorted = [...new Set(ids)].sort((a, b) => a - b);
  for (let at = 0; at < sorted.length; ) {
    const first = sorted[at] as number;
    let length = 1;
    while (sorted[at + length] === first + length) length++;
    parts.push(length === 1 ? String(first) : `${first}-${first + length - 1}`);
    at += length;
  }
  return parts.join(",");
}
