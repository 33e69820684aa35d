/** ListKind: the columns of a list, and how it is searched and filtered. The shown columns are in the URL. */
import type { FilterExamples } from "./filter-help.js";

export interface Column<Row> {
  readonly field: keyof Row & string;
  readonly title: string;
  /** For `grid-template-columns`. */
  readonly width: string;
  /** Width on a phone, if it differs. */
  readonly narrowWidth?: string;
  readonly isNumber?: boolean;
  readonly text: (row: Row) => string;
}

/** Columns and texts of a list. The first column is the name, which is always shown. */
export interface ListKind<Row> {
  readonly title: string;
  readonly noun: string;
  /** Address of the list's page, and first part of the addresses of its rows. */
  readonly path: string;
  /** Name of the resource in queries. */
  readonly kind: string;
  readonly columns: readonly Column<Row>[];
  /** Fields shown by default, separated by commas. */
  readonly usual: string;
  /** The same on a phone. */
  readonly narrow: string;
  readonly isFound: (row: Row, search: string) => boolean;
  readonly searchedBy: string;
  readonly placeholder: string;
  readonly filterExample: string;
  readonly examples: FilterExamples;
}

/** A column whose text is the value: a list is joined, and a dash stands for a value that is missing. */
export const column = <Row>(
  field: keyof Row & string,
  title: string,
  width: string,
  more: Partial<Column<Row>> = {},
): Column<Row> => ({
  field,
  title,
  width,
  text: (row) => textOf(row[field]),
  ...more,
});

const textOf = (value: unknown): string =>
  Array.isArray(value) ? value.join(", ") || "–" : String(value ?? "–");

/** The columns that the URL names, in the table's order. */
export function columnsIn<Row>(
  { columns, usual, narrow }: ListKind<Row>,
  args: URLSearchParams,
  isNarrow: boolean,
): readonly Column<Row>[] {
  const wanted = new Set((args.get("columns") ?? (isNarrow ? narrow : usual)).split(","));
  return columns.filter(({ field }, at) => at === 0 || wanted.has(field));
}

/** The argument of the URL for columns; empty for the default ones. */
export function columnsArg<Row>({ usual }: ListKind<Row>, fields: readonly string[]): string {
  const text = fields.join(",");
  return text === usual ? "" : text;
}
