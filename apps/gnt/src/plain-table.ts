/** Tables of job results, as Ganeti's older commands print them. */
import type { Json } from "@ganeti-ts/protocol";
import { pythonText, sizeText } from "@ganeti-ts/protocol";

export interface PlainColumn {
  readonly title: string;
  /** Numbers and sizes are right-aligned. */
  readonly type?: "text" | "number" | "size";
}

export interface PlainStyle {
  readonly headers: boolean;
  readonly separator?: string | undefined;
  readonly units?: string | undefined;
}

/**
 * Like `tableLines`, except that the title of a last text column is padded to the longest value.
 */
export function plainTable(
  columns: readonly PlainColumn[],
  rows: readonly (readonly Json[])[],
  { headers, separator, units = separator ? "m" : "h" }: PlainStyle,
): string[] {
  const texts = rows.map((row) => row.map((value, at) => cell(value, columns[at]?.type, units)));
  const titles = columns.map(({ title }) => title);
  if (separator !== undefined) {
    return [...(headers ? [titles] : []), ...texts].map((row) => row.join(separator));
  }
  const widths = columns.map((_, at) =>
    Math.max(0, ...[...(headers ? [titles] : []), ...texts].map((row) => (row[at] ?? "").length)),
  );
  const line = (row: readonly string[], lastWidth: number | undefined) =>
    row
      .map((text, at) => {
        const width = at === columns.length - 1 ? (lastWidth ?? 0) : (widths[at] as number);
        return isRight(columns[at]) ? text.padStart(width) : text.padEnd(width);
      })
      .join(" ");
  const last = widths.at(-1);
  return [
    ...(headers ? [line(titles, last)] : []),
    ...texts.map((row) => line(row, isRight(columns.at(-1)) ? last : 0)),
  ];
}

const isRight = (column: PlainColumn | undefined): boolean =>
  column?.type === "number" || column?.type === "size";

function cell(value: Json, type: PlainColumn["type"], units: string): string {
  if (type !== "size") return pythonText(value);
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  return typeof number === "number" ? sizeText(Math.trunc(number), units) : pythonText(value);
}
