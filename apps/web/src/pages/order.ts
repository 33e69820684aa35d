/** Order of rows by one of their fields, with numbers in names compared as numbers. */

const collator = new Intl.Collator("en", { numeric: true });

type Field = string | number | readonly string[] | null;

/** By `key`, which a leading `-` reverses; unknown values come last either way, and equal ones keep their order. */
export function ordered<Row extends object>(rows: readonly Row[], key: string): readonly Row[] {
  const field = key.replace(/^-/, "");
  const sign = key.startsWith("-") ? -1 : 1;
  const fieldOf = (row: Row) => (row as Readonly<Record<string, Field>>)[field] ?? null;
  return rows.toSorted((a, b) => {
    const [one, other] = [fieldOf(a), fieldOf(b)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    if (typeof one === "number" && typeof other === "number") return sign * (one - other);
    return sign * collator.compare(String(one), String(other));
  });
}

/** The order after a click on a column: by it, and backwards at the second click. */
export const nextOrder = (now: string, field: string): string =>
  now === field ? `-${field}` : field;
