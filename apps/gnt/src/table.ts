/** Tables from query answers or own rows, as lines. Byte for byte as Ganeti's. */
import type { Json } from "@ganeti-ts/protocol";
import { pythonText, sizeText } from "@ganeti-ts/protocol";
import type { FieldDefinition, QueryTable } from "./cluster.js";
import type { OptionValues } from "./invocation.js";
import { timeText } from "./time-text.js";

/** A title, or one of a column that is right-aligned, as numbers and sizes are. */
export type Column = string | { readonly title: string; readonly right: boolean };

/** Format of a field's values, if it differs from the default of its kind. */
export interface Format {
  readonly text: (value: Json) => string;
  readonly right?: boolean;
}

export interface TableStyle {
  readonly headers: boolean;
  /** Put between columns; without it columns are aligned. */
  readonly separator?: string | undefined;
  /** Colour of a cell by its row in `rows` and column; the row of titles is -1. */
  readonly paint?: ((row: number, column: number) => Paint | undefined) | undefined;
}

/** As the options say that all commands with tables have. */
export const styleOf = (options: OptionValues): TableStyle => ({
  headers: !options.flag("no-headers"),
  separator: options.text("separator"),
});

/** Adds escape sequences around a text. */
export type Paint = (text: string) => string;

type Cell = QueryTable["data"][number][number];

export interface QueryStyle extends Omit<TableStyle, "paint"> {
  readonly units?: string | undefined;
  /** `(nodata)` for `?`. */
  readonly verbose?: boolean;
  /** By field. */
  readonly formats?: Readonly<Record<string, Format>>;
  /** Colours of titles, and of the values of a field. */
  readonly paints?: {
    readonly title: Paint;
    readonly of: (field: string, cell: Cell) => Paint | undefined;
  };
}

/** O(cells). The last column is not padded where it is left-aligned. */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { headers, separator, paint = () => undefined }: TableStyle,
): string[] {
  const titles = columns.map((column) => (typeof column === "string" ? column : column.title));
  const isRight = columns.map((column) => typeof column !== "string" && column.right);
  const all = headers ? [titles, ...rows] : rows;
  const first = headers ? -1 : 0;
  const painted = (text: string, row: number, at: number) => paint(row + first, at)?.(text) ?? text;
  if (separator !== undefined) {
    return all.map((texts, row) => texts.map((text, at) => painted(text, row, at)).join(separator));
  }
  const widths = columns.map(() => 0);
  for (const row of all) {
    for (const [at, text] of row.entries()) {
      const length = lengthOf(text);
      if (length > (widths[at] as number)) widths[at] = length;
    }
  }
  const last = columns.length - 1;
  if (isRight[last] === false) widths[last] = 0;
  return all.map((texts, row) =>
    texts
      .map((text, at) => {
        const space = " ".repeat(Math.max(0, (widths[at] as number) - lengthOf(text)));
        const shown = painted(text, row, at);
        return isRight[at] ? space + shown : shown + space;
      })
      .join(" "),
  );
}

/** Number of characters, which may have two code units each. */
const lengthOf = (text: string): number => (plain.test(text) ? text.length : [...text].length);
const plain = /^[\0-\ud7ff]*$/;

/** Lines for the answer of a query. */
export function queryLines({ fields, data }: QueryTable, style: QueryStyle): string[] {
  const units = style.units ?? (style.separator ? "m" : "h");
  const formats = fields.map((field) => style.formats?.[field.name] ?? formatOf(field.kind, units));
  const columns = fields.map(({ title }, at) => ({
    title,
    right: formats[at]?.right ?? false,
  }));
  const rows = data.map((row) =>
    row.map(([status, value], at) =>
      status === 0
        ? (formats[at] as Format).text(value)
        : statusText(status, style.verbose ?? false),
    ),
  );
  const { paints } = style;
  const paint =
    paints &&
    ((row: number, at: number) => {
      const cell = data[row]?.[at];
      return cell === undefined ? paints.title : paints.of(fields[at]?.name ?? "", cell);
    });
  return tableLines(columns, rows, { ...style, paint });
}

function formatOf(kind: string, units: string): Format {
  switch (kind) {
    case "bool":
      return { text: (value) => (value ? "Y" : "N") };
    case "number":
    case "float":
      return { text: pythonText, right: true };
    case "unit":
      return { text: (value) => sizeText(value as number, units), right: true };
    case "timestamp":
      return { text: (value) => (typeof value === "number" ? timeText(value) : "N/A") };
    default:
      return { text: pythonText };
  }
}

/** Marks for missing values: unknown field, no data, not available, node offline. */
const terse = ["", "??", "?", "-", "*"];
const wordy = ["", "(unknown)", "(nodata)", "(unavail)", "(offline)"];

const statusText = (status: number, verbose: boolean): string =>
  (verbose ? wordy : terse)[status] ?? `(${status})`;

export const isUnknown = ({ kind }: FieldDefinition): boolean => kind === "unknown";
