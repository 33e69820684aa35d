/** Deterministic pseudo-random strings: identifiers, checksums, keys. */

/** 32 hexadecimal digits that depend on the whole text. Four FNV-1a sums with different starts. */
export function digest(text: string): string {
  let hex = "";
  for (let start = 0; start < 4; start++) {
    let sum = (0x811c9dc5 ^ (start * 0x9e3779b9)) >>> 0;
    for (let at = 0; at < text.length; at++) {
      sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193) >>> 0;
    }
    hex += sum.toString(16).padStart(8, "0");
  }
  return hex;
}

/** A digest in the form of a UUID. */
export function uuidLike(text: string): string {
  const hex = digest(text);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20),
  ].join("-");
}
