/** Order of strings by code point, where `<` goes by UTF-16 unit. */

/** Negative if `a` comes before `b`, 0 if they are equal. */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left === right) continue;
    // Halves of a character beyond U+FFFF stand above everything that is one unit.
    const leftHalf = left >= 0xd800 && left <= 0xdfff;
    const rightHalf = right >= 0xd800 && right <= 0xdfff;
    return leftHalf === rightHalf ? left - right : leftHalf ? 1 : -1;
  }
  return a.length - b.length;
}
