/** Columns and search of the list of instances. */
import type { InstanceRow } from "../../api/shapes.js";
import { type Column, column, type ListKind } from "../../parts/list-kind.js";
import { sizeText } from "../../words.js";

const columns: readonly Column<InstanceRow>[] = [
  column("name", "Name", "minmax(9rem, 3fr)", { narrowWidth: "minmax(5rem, 1fr)" }),
  column("status", "Status", "8.5rem", { narrowWidth: "6.6rem" }),
  column("pnode", "Primary", "minmax(7rem, 2fr)"),
  column("snodes", "Secondary", "minmax(7rem, 2fr)"),
  column("pnode.group", "Group", "minmax(5rem, 1fr)"),
  column("be/memory", "Memory", "5rem", {
    isNumber: true,
    text: (row) => sizeText(row["be/memory"]),
  }),
  column("be/vcpus", "CPUs", "3.6rem", { isNumber: true }),
  column("disk_usage", "Disk", "5.5rem", {
    isNumber: true,
    text: ({ disk_usage }) => sizeText(disk_usage),
  }),
  column("disk_template", "Template", "5.5rem"),
  column("os", "System", "minmax(6rem, 1.5fr)"),
  column("tags", "Tags", "minmax(6rem, 2fr)"),
];

const examples = [
  ["be/memory > 2048", "more than 2 GiB of memory"],
  ['pnode == "node1.example.com"', "on that node"],
  ['name =* "web*.example.com"', "names that match a pattern"],
  ["name =~ m/^web[0-9]+/", "names that match a regular expression"],
  ['"prod" in tags', "with a tag"],
  ['not (status == "running")', "that do not run"],
  ['disk_template == "drbd" and be/vcpus >= 4', "both; or takes either"],
  ["forthcoming", "reservations"],
] as const;

/** Whether a row matches the search: by name, node, operating system or tag. */
const isFound = ({ name, pnode, os, tags }: InstanceRow, search: string): boolean =>
  name.toLowerCase().includes(search) ||
  (pnode?.includes(search) ?? false) ||
  (os?.includes(search) ?? false) ||
  (tags?.some((tag) => tag.toLowerCase().includes(search)) ?? false);

export const instanceList: ListKind<InstanceRow> = {
  ...{
    title: "Instances",
    noun: "instance",
    path: "instances",
    kind: "instance",
    columns,
    isFound,
  },
  usual: "name,status,pnode,be/memory,be/vcpus,disk_usage,disk_template,os",
  narrow: "name,status",
  searchedBy: "name, node, system or tag",
  placeholder: "Search names, nodes, tags ( / )",
  filterExample: 'be/memory > 2048 and not pnode =* "node1*"',
  examples,
};
