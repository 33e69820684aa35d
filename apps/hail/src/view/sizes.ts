/** Amounts of memory and disk with readable units. */

/** At most three digits: `900 MiB`, `62.5 GiB`, `1.75 TiB`. */
export function sizeText(mib: number): string {
  const units = ["MiB", "GiB", "TiB", "PiB"];
  let amount = mib;
  let unit = 0;
  while (Math.abs(amount) >= 999.5 && unit < units.length - 1) {
    amount /= 1024;
    unit++;
  }
  return `${Number(amount.toPrecision(3))} ${units[unit]}`;
}
