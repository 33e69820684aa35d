/** rowsForHtools: instances for Ganeti's htools, whose parsers accept no missing values. */
import type { Result } from "@ganeti-ts/luxi";
import { luxiInstanceFields } from "@ganeti-ts/luxi/calls";

type Table = Result<"Query">;

/** Whether a query is one of htools: all instances, with at least the fields that htools request. */
const isOfHtools = (kind: string, fields: readonly string[], filter: unknown): boolean =>
  kind === "instance" &&
  filter === null &&
  luxiInstanceFields.every((field) => fields.includes(field));

/**
 * The table, readable for htools if they asked for it: without reservations that are on no node and so
 * take nothing of any, and with disks whose size is not known yet as disks of size 0, as in `disk_usage`.
 * One value of another form would make every htools program fail.
 */
export function rowsForHtools(
  { kind, fields, filter }: { kind: string; fields: readonly string[]; filter: unknown },
  table: Table,
): Table {
  if (!isOfHtools(kind, fields, filter)) return table;
  const [node, sizes] = [fields.indexOf("pnode"), fields.indexOf("disk.sizes")];
  const placed = table.data.filter((row) => row[node]?.[0] === 0);
  const data = placed.map((row) =>
    row.map((cell, at) => (at === sizes ? [cell[0], knownSizes(cell[1])] : cell)),
  );
  return { ...table, data } as Table;
}

const knownSizes = (sizes: unknown): unknown =>
  Array.isArray(sizes) ? sizes.map((size) => size ?? 0) : sizes;
