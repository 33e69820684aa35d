/** List of node groups: its rows, columns, and source. */
import type { Source } from "../../api/collection.js";
import { filterOf } from "../../api/filter.js";
import { query } from "../../api/server.js";
import { anyOf } from "../../api/sources.js";
import { type Column, joinedText, type ListKind, plainText } from "../../parts/list-kind.js";

export interface GroupRow {
  readonly uuid: string;
  readonly name: string;
  readonly alloc_policy: string | null;
  readonly node_cnt: number | null;
  readonly pinst_cnt: number | null;
  readonly tags: readonly string[] | null;
}

const fields = ["uuid", "name", "alloc_policy", "node_cnt", "pinst_cnt", "tags"];

/** Groups that match a filter in Ganeti's syntax. */
export function groupSource(filterText: string): Source<GroupRow> {
  return {
    keyOf: ({ uuid }) => uuid,
    readAll: async () => query("group", fields, await filterOf(filterText)),
    async readSome(uuids) {
      const filter = await filterOf(filterText);
      const these = anyOf("uuid", uuids);
      return query("group", fields, filter === null ? these : ["&", filter, these]);
    },
    effectOf(event) {
      if (event.topic !== "config") return {};
      const groups = event.changes.filter(({ type }) => type === "group");
      return {
        keys: groups.flatMap(({ uuid }) => uuid ?? []),
        isStale: event.changes.length > groups.length,
      };
    },
  };
}

const columns: readonly Column<GroupRow>[] = [
  { field: "name", title: "Name", width: "minmax(7rem, 2fr)", text: ({ name }) => name },
  {
    ...{ field: "alloc_policy", title: "New instances", width: "minmax(7rem, 1fr)" },
    text: (row) => plainText(row.alloc_policy),
  },
  {
    ...{ field: "node_cnt", title: "Nodes", width: "5rem", isNumber: true },
    text: ({ node_cnt }) => plainText(node_cnt),
  },
  {
    ...{ field: "pinst_cnt", title: "Instances", width: "6rem", isNumber: true },
    text: ({ pinst_cnt }) => plainText(pinst_cnt),
  },
  {
    ...{ field: "tags", title: "Tags", width: "minmax(6rem, 2fr)" },
    text: ({ tags }) => joinedText(tags),
  },
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
