/** Order of rows by one of their fields, with natural order of texts. */
import { useMemo, useRef } from "preact/hooks";

type Field = string | number | readonly string[] | null;

/** Cache of sort keys: texts whose numbers are padded to the same length, so that they compare as texts. */
const keys = new Map<string, string>();

/** Maximum size of the cache; a full one is cleared. */
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
 * Rows sorted by the field `key`; a leading `-` reverses the order. Unknown values come last either way, and the sort is stable.
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

/** Hook: the rows in order. Each sort starts from the previous order, so that few changes cost little. */
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

/** The order after a click on a column: by that column, reversed at the second click. */
export const nextOrder = (now: string, field: string): string =>
  now === field ? `-${field}` : field;
