/** Order of rows by one of their fields, as a person expects it. */
import { useMemo, useRef } from "preact/hooks";

type Field = string | number | readonly string[] | null;

/** Texts whose numbers have equally many digits, so that they compare as texts; made once for each text. */
const keys = new Map<string, string>();

/** Number of kept texts; beyond it, as lists of other clusters come, they are made again. */
const keysMax = 200_000;

function naturalKey(text: string): string {
  const known = keys.get(text);
  if (known !== undefined) return known;
  if (keys.size >= keysMax) keys.clear();
  const key = text.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(12, "0"));
  keys.set(text, key);
  return key;
}

/**
 * By `key`, which a leading `-` reverses; unknown values come last either way, and equal ones keep their order.
 * O(n log n) comparisons, O(n) where the rows are nearly in order.
 */
export function ordered<Row extends object>(rows: readonly Row[], key: string): readonly Row[] {
  const field = key.replace(/^-/, "");
  const sign = key.startsWith("-") ? -1 : 1;
  const marked = rows.map((row) => {
    const value = (row as Readonly<Record<string, Field>>)[field] ?? null;
    return {
      row,
      by: value === null || typeof value === "number" ? value : naturalKey(String(value)),
    };
  });
  marked.sort(({ by: a }, { by: b }) => {
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return a === b ? 0 : a < b ? -sign : sign;
  });
  return marked.map(({ row }) => row);
}

/** The rows in order; those of the last time keep their order as a beginning, so that few changes cost little. */
export function useOrdered<Row extends object>(
  rows: ReadonlyMap<string, Row> | undefined,
  order: string,
): readonly Row[] {
  const last = useRef<{ order: string; keys: readonly string[] }>({ order: "", keys: [] });
  return useMemo(() => {
    if (rows === undefined) return [];
    const present = [...rows.entries()];
    const keyOf = new Map(present.map(([key, row]) => [row, key]));
    let beginning = present.map(([, row]) => row);
    if (last.current.order === order) {
      const before = last.current.keys.flatMap((key) => rows.get(key) ?? []);
      const seen = new Set(before);
      beginning = [...before, ...beginning.filter((row) => !seen.has(row))];
    }
    const sorted = ordered(beginning, order);
    last.current = { order, keys: sorted.map((row) => keyOf.get(row) as string) };
    return sorted;
  }, [rows, order]);
}

/** The order after a click on a column: by it, and backwards at the second click. */
export const nextOrder = (now: string, field: string): string =>
  now === field ? `-${field}` : field;
