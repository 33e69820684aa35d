/** First to last, as descriptions count: 1st, 2nd, 3rd, 11th, 21st. */
export function ordinal(count: number): string {
  const teen = count % 100 > 10 && count % 100 < 20;
  const ending = teen ? undefined : ({ 1: "st", 2: "nd", 3: "rd" } as const)[(count % 10) as 1];
  return `${count}${ending ?? "th"}`;
}
