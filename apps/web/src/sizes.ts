/** Conversion of memory and disk sizes from and to the text that users type. */

const factors: Readonly<Record<string, number>> = { m: 1, g: 1024, t: 1024 * 1024 };

/** MiB of a text such as `2g`, `512 MiB` or `1.5 GB`; a bare number is MiB. Undefined for anything else. */
export function mibOf(text: string): number | undefined {
  const [, amount, unit = "m"] = /^\s*(\d+(?:\.\d+)?)\s*([mgt])?(?:i?b)?\s*$/i.exec(text) ?? [];
  const factor = factors[unit.toLowerCase()];
  return amount === undefined || factor === undefined
    ? undefined
    : Math.round(Number(amount) * factor);
}

/** The shortest text that `mibOf` reads as the same amount: `20g`, `1536m`. */
export function typedSize(mib: number): string {
  for (const unit of ["t", "g"]) {
    const factor = factors[unit] as number;
    if (mib >= factor && mib % factor === 0) return `${mib / factor}${unit}`;
  }
  return `${mib}m`;
}
