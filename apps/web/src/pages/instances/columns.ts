/** Columns and search of the list of instances. */
import type { InstanceRow } from "../../api/shapes.js";
import {
  type Column,
  joinedText as joined,
  type ListKind,
  plainText as plain,
} from "../../parts/list-kind.js";
import { sizeText } from "../../words.js";

const columns: readonly Column<InstanceRow>[] = [
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
