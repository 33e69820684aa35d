/** The least product of a number between `least` and `most` with one between `low` and `high`. */
export const leastProduct = (least: number, most: number, low: number, high: number): number =>
  Math.min(least * low, least * high, most * low, most * high);
