/** Roman numbers. */

const signs = [
  ...([
    [1000, "M"],
    [900, "CM"],
    [500, "D"],
    [400, "CD"],
  ] as const),
  ...([
    [100, "C"],
    [90, "XC"],
    [50, "L"],
    [40, "XL"],
  ] as const),
  ...([
    [10, "X"],
    [9, "IX"],
    [5, "V"],
    [4, "IV"],
    [1, "I"],
  ] as const),
];

/** Only whole numbers from 1 to 4999 have a form; undefined for others. */
export function roman(value: number): string | undefined {
  if (!Number.isInteger(value) || value < 1 || value > 4999) return undefined;
  let rest = value;
  let text = "";
  for (const [worth, sign] of signs) {
    text += sign.repeat(Math.floor(rest / worth));
    rest %= worth;
  }
  return text;
}
