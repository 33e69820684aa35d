/** Sizes as typed by users: `512`, `1.5g`, `2 TiB`. */

const factors: Readonly<Record<string, number>> = { m: 1, g: 1024, t: 1024 * 1024 };

/**
 * Whole MiB, rounded up to a multiple of 4; a size without unit is in MiB.
 * @throws Error with Ganeti's text
 */
export function mebibytes(text: string): number {
  const found = /^([.\d]+)\s*([a-zA-Z]+)?$/.exec(text);
  const amount = Number(found?.[1] ?? Number.NaN);
  if (found === null || Number.isNaN(amount)) throw new Error("Invalid format");
  const unit = (found[2] ?? "m").toLowerCase();
  const factor = /^[mgt](?:i?b)?$/.test(unit) ? factors[unit[0] as string] : undefined;
  if (factor === undefined) throw new Error(`Unknown unit: ${found[2]}`);
  return Math.ceil(Math.ceil(amount * factor) / 4) * 4;
}
