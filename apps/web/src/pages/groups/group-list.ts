/** List of node groups: its rows, columns, and source. */
import type { Source } from "../../api/collection.js";
import { listsOrNull, numbersOrNull, texts, textsOrNull } from "../../api/fields.js";
import { query } from "../../api/server.js";
import { changedOf, sourceOf } from "../../api/sources.js";
import { type Column, column, type ListKind } from "../../parts/list-kind.js";

const fields = {
  ...texts("uuid", "name"),
  ...textsOrNull("alloc_policy"),
  ...numbersOrNull("node_cnt", "pinst_cnt"),
  ...listsOrNull("tags"),
};
type GroupRow = Readonly<typeof fields>;

/** Groups that match a filter in Ganeti's syntax. */
export const groupSource = (filterText: string): Source<GroupRow> =>
  sourceOf(
    filterText,
    (filter) => query("group", fields, filter),
    (event) =>
      event.topic === "config"
        ? {
            keys: changedOf(event, "group"),
            isStale: event.changes.some(({ type }) => type !== "group"),
          }
        : {},
  );

const columns: readonly Column<GroupRow>[] = [
  column("name", "Name", "minmax(7rem, 2fr)"),
  column("alloc_policy", "New instances", "minmax(7rem, 1fr)"),
  column("node_cnt", "Nodes", "5rem", { isNumber: true }),
  column("pinst_cnt", "Instances", "6rem", { isNumber: true }),
  column("tags", "Tags", "minmax(6rem, 2fr)"),
];

export const groupList: ListKind<GroupRow> = {
  ...{ title: "Node groups", noun: "group", path: "groups", kind: "group", columns },
  isFound: ({ name, tags }, search) =>
    name.toLowerCase().includes(search) ||
    (tags?.some((tag) => tag.toLowerCase().includes(search)) ?? false),
  usual: "name,alloc_policy,node_cnt,pinst_cnt,tags",
  narrow: "name,node_cnt",
  searchedBy: "name or tag",
  placeholder: "Search names, tags ( / )",
  filterExample: 'alloc_policy == "preferred" and node_cnt > 2',
  examples: [
    ['alloc_policy == "unallocable"', "that take no new instances"],
    ["node_cnt > 2", "with more than two nodes"],
    ['"rack:7" in tags', "with a tag"],
  ],
};
