/** Order of strings by code point (`<` compares UTF-16 units). */

/** Negative if `a` comes before `b`, 0 if they are equal. */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left === right) continue;
    // Surrogates, which encode characters beyond U+FFFF, sort after all other units.
    const leftHalf = left >= 0xd800 && left <= 0xdfff;
    const rightHalf = right >= 0xd800 && right <= 0xdfff;
    return leftHalf === rightHalf ? left - right : leftHalf ? 1 : -1;
  }
  return a.length - b.length;
}
