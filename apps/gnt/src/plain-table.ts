/** Tables of job results, as Ganeti's older commands print them. */
import type { Json } from "@ganeti-ts/protocol";
import { pythonText, sizeText } from "@ganeti-ts/protocol";
import { type TableStyle, tableLines } from "./table.js";

/** A title, or one of a column of numbers or sizes, which are right-aligned. */
export type PlainColumn = string | { readonly title: string; readonly type?: "number" | "size" };

/**
 * Like `tableLines`, except that the title of a last text column is padded to the longest value.
 */
export function plainTable(
  columns: readonly PlainColumn[],
  rows: readonly (readonly Json[])[],
  { headers, separator, units = separator ? "m" : "h" }: TableStyle & { readonly units?: Units },
): string[] {
  const typed = columns.map((one) => (typeof one === "string" ? { title: one } : one));
  const texts = rows.map((row) => row.map((value, at) => cell(value, typed[at]?.type, units)));
  const width = Math.max(0, ...texts.map((row) => row.at(-1)?.length ?? 0));
  const shown = typed.map(({ title, type }, at) => {
    const isPadded = at === columns.length - 1 && separator === undefined && type === undefined;
    return { title: isPadded ? title.padEnd(width) : title, right: type !== undefined };
  });
  return tableLines(shown, texts, { headers, separator });
}

type Units = string | undefined;

function cell(value: Json, type: "number" | "size" | undefined, units: string): string {
  if (type !== "size") return pythonText(value);
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  return typeof number === "number" ? sizeText(Math.trunc(number), units) : pythonText(value);
}
