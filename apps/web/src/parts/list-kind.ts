/** A kind of list: its columns, and how it is searched and filtered. The shown columns are in the URL. */
import type { FilterExamples } from "./filter-help.js";

export interface Column<Row> {
  readonly field: keyof Row & string;
  readonly title: string;
  /** For `grid-template-columns`. */
  readonly width: string;
  /** On a telephone, if that is another one. */
  readonly narrowWidth?: string;
  readonly isNumber?: boolean;
  readonly text: (row: Row) => string;
}

/** Columns and texts of a list. The first column is the name, which is always shown. */
export interface ListKind<Row> {
  readonly title: string;
  readonly noun: string;
  /** Address of its page, and the first part of its rows' addresses. */
  readonly path: string;
  /** As queries name it. */
  readonly kind: string;
  readonly columns: readonly Column<Row>[];
  /** Fields shown where the URL names none, with commas between them. */
  readonly usual: string;
  /** The same on a telephone. */
  readonly narrow: string;
  readonly isFound: (row: Row, search: string) => boolean;
  readonly searchedBy: string;
  readonly placeholder: string;
  readonly filterExample: string;
  readonly examples: FilterExamples;
}

export const plainText = (value: string | number | null): string =>
  value === null ? "–" : String(value);
export const joinedText = (values: readonly string[] | null): string => values?.join(", ") || "–";

/** Those that the URL names, in the table's order. */
export function columnsIn<Row>(
  { columns, usual, narrow }: ListKind<Row>,
  args: URLSearchParams,
  isNarrow: boolean,
): readonly Column<Row>[] {
  const wanted = new Set((args.get("columns") ?? (isNarrow ? narrow : usual)).split(","));
  return columns.filter(({ field }, at) => at === 0 || wanted.has(field));
}

/** The argument of the URL for columns; empty for the usual ones. */
export function columnsArg<Row>({ usual }: ListKind<Row>, fields: readonly string[]): string {
  const text = fields.join(",");
  return text === usual ? "" : text;
}
