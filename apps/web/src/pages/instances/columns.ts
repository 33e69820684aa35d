/** Columns of the list of instances: those that are shown are in the URL. */
import type { InstanceRow } from "../../api/shapes.js";
import { sizeText } from "../../words.js";

export interface Column {
  readonly field: keyof InstanceRow;
  readonly title: string;
  /** For `grid-template-columns`. */
  readonly width: string;
  /** On a telephone, if that is another one. */
  readonly narrowWidth?: string;
  readonly isNumber?: boolean;
  readonly text: (row: InstanceRow) => string;
}

const plain = (value: string | number | null): string => (value === null ? "–" : String(value));
const joined = (values: readonly string[] | null): string => values?.join(", ") || "–";

export const columns: readonly Column[] = [
  {
    ...{
      field: "name",
      title: "Name",
      width: "minmax(9rem, 3fr)",
      narrowWidth: "minmax(5rem, 1fr)",
    },
    text: ({ name }) => name,
  },
  {
    ...{ field: "status", title: "Status", width: "8.5rem", narrowWidth: "6.6rem" },
    text: ({ status }) => plain(status),
  },
  {
    ...{ field: "pnode", title: "Primary", width: "minmax(7rem, 2fr)" },
    text: ({ pnode }) => plain(pnode),
  },
  {
    ...{ field: "snodes", title: "Secondary", width: "minmax(7rem, 2fr)" },
    text: ({ snodes }) => joined(snodes),
  },
  {
    ...{ field: "pnode.group", title: "Group", width: "minmax(5rem, 1fr)" },
    text: (row) => plain(row["pnode.group"]),
  },
  {
    ...{ field: "be/memory", title: "Memory", width: "5rem", isNumber: true },
    text: (row) => sizeText(row["be/memory"]),
  },
  {
    ...{ field: "be/vcpus", title: "CPUs", width: "3.6rem", isNumber: true },
    text: (row) => plain(row["be/vcpus"]),
  },
  {
    ...{ field: "disk_usage", title: "Disk", width: "5.5rem", isNumber: true },
    text: ({ disk_usage }) => sizeText(disk_usage),
  },
  {
    ...{ field: "disk_template", title: "Template", width: "5.5rem" },
    text: ({ disk_template }) => plain(disk_template),
  },
  { field: "os", title: "System", width: "minmax(6rem, 1.5fr)", text: ({ os }) => plain(os) },
  { field: "tags", title: "Tags", width: "minmax(6rem, 2fr)", text: ({ tags }) => joined(tags) },
];

const usual = "name,status,pnode,be/memory,be/vcpus,disk_usage,disk_template,os";
const narrow = "name,status";

/** Those that the URL names, in the table's order; the name is always among them. */
export function columnsIn(args: URLSearchParams, isNarrow: boolean): readonly Column[] {
  const wanted = new Set((args.get("columns") ?? (isNarrow ? narrow : usual)).split(","));
  return columns.filter(({ field }) => field === "name" || wanted.has(field));
}

/** The argument of the URL for columns; empty for the usual ones. */
export function columnsArg(fields: readonly string[]): string {
  const text = fields.join(",");
  return text === usual ? "" : text;
}
