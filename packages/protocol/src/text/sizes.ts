/** Sizes and numbers as Ganeti's programs show them to people. */

/** Bytes in one MiB. */
export const bytesPerMib = 1024 * 1024;

/** The nearest whole number; halves go to the even neighbour, as Python rounds them. */
export function roundHalfEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  return rest > 0.5 || (rest === 0.5 && below % 2 !== 0) ? below + 1 : below;
}

/** A size in MiB, in Ganeti's notation: `512M`, `1.5G`. Units `m`, `g`, `t` have no suffix; `h` chooses one and adds it. */
export function sizeText(mib: number, unit = "h"): string {
  const suffix = (letter: string) => (unit === "h" ? letter : "");
  if (unit === "m" || (unit === "h" && mib < 1024)) return `${roundHalfEven(mib)}${suffix("M")}`;
  if (unit === "g" || (unit === "h" && mib < 1024 * 1024)) return tenths(mib / 1024) + suffix("G");
  return tenths(mib / 1024 / 1024) + suffix("T");
}

/** One digit, halves to even: only .25 and .75 are exact halves. */
const tenths = (value: number): string =>
  value % 1 === 0.25 ? `${Math.floor(value)}.2` : value.toFixed(1);
