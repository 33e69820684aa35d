/** Rounds halves to the even neighbour, as Python does. */
export function rounded(value: number): number {
  const near = Math.round(value);
  return Math.abs(value % 1) === 0.5 && near % 2 !== 0 ? near - 1 : near;
}
