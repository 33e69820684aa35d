/** List of nodes: its rows, columns, and source. */
import type { NodeLoad } from "@ganeti-ts/rapi-client";
import type { Source } from "../../api/collection.js";
import {
  flagsOrNull,
  listsOrNull,
  numbers,
  numbersOrNull,
  texts,
  textsOrNull,
} from "../../api/fields.js";
import { ask, query } from "../../api/server.js";
import { hasEnded } from "../../api/shapes.js";
import { changedOf, sourceOf } from "../../api/sources.js";
import { type Column, column, type ListKind } from "../../parts/list-kind.js";
import { roleText } from "../../parts/role.js";
import { sizeText, yesNo } from "../../words.js";

const fields = {
  ...texts("uuid", "name", "role"),
  ...textsOrNull("group", "pip", "sip"),
  ...numbersOrNull("mtotal", "mfree", "mnode", "dtotal", "dfree", "ctotal", "csockets"),
  ...numbers("pinst_cnt", "sinst_cnt"),
  ...flagsOrNull("powered", "vm_capable", "master_capable"),
  ...listsOrNull("tags"),
};
/** A row of the list; `n1` is null if the node has no figures. */
export type NodeListRow = Readonly<typeof fields> & { readonly n1: "holds" | "fails" | null };

export const nodeLoads = (): Promise<readonly NodeLoad[]> => ask("GET", "/ganeti-ts/1/node-loads");

async function rowsOf(filter: unknown): Promise<readonly NodeListRow[]> {
  const [rows, loads] = await Promise.all([query("node", fields, filter), nodeLoads()]);
  const n1 = new Map(
    loads.map(({ name, offline, fails_n1 }) => [
      name,
      offline ? null : fails_n1 ? ("fails" as const) : ("holds" as const),
    ]),
  );
  return rows.map((row) => ({ ...row, n1: n1.get(row.name) ?? null }));
}

/** Operations on one node, by the beginning of their summaries. */
export const nodeOperations = [
  ...["SET_PARAMS", "ADD", "EVACUATE", "MIGRATE", "POWERCYCLE", "QUERY_STORAGE", "MODIFY_STORAGE"],
].map((one) => `NODE_${one}`);

const nodeIn = /^NODE_\w+\((.*)\)$/;

/** Nodes that match a filter in Ganeti's syntax. */
export const nodeSource = (filterText: string): Source<NodeListRow> =>
  sourceOf(filterText, rowsOf, (event, rows) => {
    if (event.topic === "config") {
      const isOther = event.changes.some(({ type }) => type !== "node");
      return { keys: changedOf(event, "node"), isStale: isOther };
    }
    if (!hasEnded(event.status)) return {};
    const names = new Set(event.summary.flatMap((text) => nodeIn.exec(text)?.[1] ?? []));
    const keys = [...rows.values()].flatMap(({ name, uuid }) => (names.has(name) ? [uuid] : []));
    return { keys, isStale: true };
  });

const size = (field: "mtotal" | "mfree" | "mnode" | "dtotal" | "dfree", title: string) =>
  column<NodeListRow>(field, title, "6.4rem", {
    isNumber: true,
    text: (row) => sizeText(row[field]),
  });
const count = (field: keyof NodeListRow, title: string) =>
  column<NodeListRow>(field, title, "5.2rem", { isNumber: true });
const flag = (field: "powered" | "vm_capable" | "master_capable", title: string) =>
  column<NodeListRow>(field, title, "6rem", { text: (row) => yesNo(row[field]) });

const columns: readonly Column<NodeListRow>[] = [
  column("name", "Name", "minmax(9rem, 3fr)", { narrowWidth: "minmax(5rem, 1fr)" }),
  column("role", "Role", "6.5rem", { text: ({ role }) => roleText(role) }),
  column("group", "Group", "minmax(5rem, 1fr)"),
  column("n1", "N+1", "4.5rem"),
  size("mfree", "Memory free"),
  size("mtotal", "Memory"),
  size("mnode", "Own memory"),
  size("dfree", "Disk free"),
  size("dtotal", "Disk"),
  count("ctotal", "CPUs"),
  count("csockets", "Sockets"),
  count("pinst_cnt", "Primary"),
  count("sinst_cnt", "Secondary"),
  column("pip", "Address", "8rem"),
  column("sip", "Second address", "8rem"),
  flag("powered", "Powered"),
  flag("vm_capable", "Takes instances"),
  flag("master_capable", "May be master"),
  column("tags", "Tags", "minmax(6rem, 2fr)"),
];

/** Whether a row matches the search: by name, group, address or tag. */
const isFound = ({ name, group, pip, tags }: NodeListRow, search: string): boolean =>
  name.toLowerCase().includes(search) ||
  (group?.toLowerCase().includes(search) ?? false) ||
  (pip?.includes(search) ?? false) ||
  (tags?.some((tag) => tag.toLowerCase().includes(search)) ?? false);

export const nodeList: ListKind<NodeListRow> = {
  ...{ title: "Nodes", noun: "node", path: "nodes", kind: "node", columns, isFound },
  usual: "name,role,group,n1,mfree,mtotal,dfree,dtotal,pinst_cnt,sinst_cnt",
  narrow: "name,role",
  searchedBy: "name, group, address or tag",
  placeholder: "Search names, groups, tags ( / )",
  filterExample: 'mfree < 4096 or role == "D"',
  examples: [
    ["mfree < 4096", "less than 4 GiB of memory free"],
    ['role == "D"', "drained; M, C, R and O are the other roles"],
    ['group == "default"', "in that group"],
    ["pinst_cnt == 0 and sinst_cnt == 0", "empty"],
    ['"rack:7" in tags', "with a tag"],
    ["not vm_capable", "that take no instances"],
    ["name =~ m/^node[0-9]+/", "names that match a regular expression"],
  ],
};
