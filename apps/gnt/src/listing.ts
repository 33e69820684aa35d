/** The commands `list` and `list-fields` of every program. */
import type { FilterExpression, Json } from "@ganeti-ts/protocol";
import type { FieldDefinition, QueryKind, QueryTable } from "./cluster.js";
import { paintsOf } from "./colours.js";
import type { ExitCode } from "./command.js";
import { FilterTextFailure, prereqError } from "./errors.js";
import type { Invocation } from "./invocation.js";
import {
  type Format,
  isUnknown,
  type QueryStyle,
  queryLines,
  styleOf,
  tableLines,
} from "./table.js";

export interface Listing {
  readonly kind: QueryKind;
  readonly defaultFields: readonly string[];
  /** Field that names are compared with; default `name`. */
  readonly nameField?: string;
  /** Whether the name field holds numbers. */
  readonly numeric?: boolean;
  /** Filter in addition to the arguments. */
  readonly status?: FilterExpression | undefined;
  /** Appended to those of `-o`, unless they are among them. */
  readonly moreFields?: readonly string[];
  readonly formats?: Readonly<Record<string, Format>>;
  /** On a terminal the column `marks` shows `as` where the boolean `field` is true. */
  readonly mark?: { readonly field: string; readonly marks: string; readonly as: string };
  /** Default columns to leave out on a narrow terminal, the first one first. */
  readonly dispensable?: readonly string[];
}

/**
 * Reads the options H, U, O, F, verbose and wide, if the command has them. Code 14 for unknown
 * fields.
 */
export async function list(invocation: Invocation, listing: Listing): Promise<ExitCode> {
  const { options, out, args } = invocation;
  const has = (name: string) => options.knows(name);
  const fields = fieldsOf(has("output") ? options.text("output") : undefined, listing);
  const filter = await filterOf(args, has("filter") && options.flag("filter"), listing);
  const table = await markedTable(invocation, listing, fields, filter);
  warnOfUnknown(invocation, table.fields);
  if (out.json) out.document(rowObjects(table));
  else {
    const style: QueryStyle = {
      headers: !options.flag("no-headers"),
      separator: options.text("separator"),
      units: has("units") ? options.text("units") : undefined,
      verbose: has("verbose") && options.flag("verbose"),
      formats: listing.formats ?? {},
    };
    const shown = fitting(invocation, listing, table, style);
    const paints = out.colour ? { paints: paintsOf(listing.kind) } : {};
    printed(invocation, queryLines(shown, { ...style, ...paints }));
  }
  return table.fields.some(isUnknown) ? 14 : 0;
}

/**
 * The table without the dispensable columns that do not fit a narrow terminal; standard error names
 * them.
 */
function fitting(
  { options, out }: Invocation,
  { dispensable = [] }: Listing,
  table: QueryTable,
  style: QueryStyle,
): QueryTable {
  const { terminal } = out;
  const isAsked = options.knows("output") && options.has("output");
  if (terminal === undefined || isAsked || style.separator !== undefined) return table;
  if (!options.knows("wide") || options.flag("wide")) return table;
  const fits = (one: QueryTable) =>
    queryLines(one, style).every((line) => line.length <= terminal.columns);
  let shown = table;
  const leftOut: string[] = [];
  for (const name of dispensable) {
    if (fits(shown)) break;
    const at = shown.fields.findIndex((field) => field.name === name);
    leftOut.push(shown.fields[at]?.title ?? name);
    const without = <Item>(items: readonly Item[]) => items.filter((_, index) => index !== at);
    shown = { fields: without(shown.fields), data: shown.data.map(without) };
  }
  if (leftOut.length > 0) {
    out.error(`Left out on this narrow terminal: ${leftOut.join(", ")}. --wide shows all columns.`);
  }
  return shown;
}

/** The table with marks, for which fields may have to be added to the query. */
async function markedTable(
  { cluster, out }: Invocation,
  { kind, mark }: Listing,
  fields: readonly string[],
  filter: FilterExpression,
): Promise<QueryTable> {
  const at = mark === undefined ? -1 : fields.indexOf(mark.marks);
  if (mark === undefined || at < 0 || out.terminal === undefined) {
    return cluster.query(kind, fields, filter);
  }
  const table = await cluster.query(kind, [...fields, mark.field], filter);
  const data = table.data.map((row) => {
    const cells = row.slice(0, fields.length);
    const isMarked = row[fields.length]?.[1] === true;
    return isMarked ? cells.with(at, [0, mark.as] as const) : cells;
  });
  return { fields: table.fields.slice(0, fields.length), data };
}

/** In a single write, because one per line would take longer than the table itself. */
function printed({ out }: Invocation, lines: readonly string[]): void {
  if (lines.length > 0) out.line(lines.join("\n"));
}

/** `-o +f,g` appends to the default fields. */
export function fieldsOf(
  given: string | undefined,
  { defaultFields, moreFields = [] }: Pick<Listing, "defaultFields" | "moreFields">,
): readonly string[] {
  const chosen =
    given === undefined
      ? defaultFields
      : given.startsWith("+")
        ? [...defaultFields, ...given.slice(1).split(",")]
        : given.split(",");
  return [...chosen, ...moreFields.filter((field) => !chosen.includes(field))];
}

/** @throws FilterTextFailure, GanetiError */
async function filterOf(
  args: readonly string[],
  force: boolean,
  { nameField, numeric, status = null }: Pick<Listing, "nameField" | "numeric" | "status">,
): Promise<FilterExpression> {
  // Most lists are of all objects, and need no filter parser.
  if (args.length === 0 && !force) return status;
  const { FilterError, FilterTextError, filterFromArguments } = await import("@ganeti-ts/query");
  try {
    return filterFromArguments(args, { force, nameField, numeric, status });
  } catch (error) {
    if (error instanceof FilterTextError) throw new FilterTextFailure(error.message, error.details);
    if (error instanceof FilterError) throw prereqError(error.message);
    throw error;
  }
}

function warnOfUnknown({ out }: Invocation, fields: readonly FieldDefinition[]): void {
  const names = fields.filter(isUnknown).map(({ name }) => name);
  if (names.length > 0) out.error(`Warning: Queried for unknown fields ${names.join(", ")}`);
}

/** One object per row, with the values of its fields; null without a value. */
const rowObjects = ({ fields, data }: QueryTable): Json =>
  data.map((row) => Object.fromEntries(row.map(([, value], at) => [fields[at]?.name, value])));

const kindNames: Readonly<Record<string, string>> = {
  unknown: "Unknown",
  text: "Text",
  bool: "Boolean",
  number: "Number",
  float: "Floating-point number",
  unit: "Storage size",
  timestamp: "Timestamp",
  other: "Custom",
};

/** Lists the fields of a kind: all, or those named by the arguments. Reads H. */
export const listFields =
  (kind: QueryKind) =>
  async (invocation: Invocation): Promise<ExitCode> => {
    const { args, cluster, options, out } = invocation;
    const fields = await cluster.queryFields(kind, args.length === 0 ? undefined : args);
    warnOfUnknown(invocation, fields);
    if (out.json) out.document(fields);
    else {
      const columns = ["Name", "Type", "Title", "Description"];
      const rows = fields.map(({ name, kind, title, doc }) => [
        ...[name, kindNames[kind] ?? kind, title, doc],
      ]);
      printed(invocation, tableLines(columns, rows, styleOf(options)));
    }
    return fields.some(isUnknown) ? 14 : 0;
  };
