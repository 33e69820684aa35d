/** List of nodes: its rows, columns, and source. */
import type { Source } from "../../api/collection.js";
import { filterOf } from "../../api/filter.js";
import { ask, query } from "../../api/server.js";
import { hasEnded } from "../../api/shapes.js";
import { anyOf } from "../../api/sources.js";
import { type Column, joinedText, type ListKind, plainText } from "../../parts/list-kind.js";
import { roleText } from "../../parts/role.js";
import { sizeText } from "../../words.js";

interface QueriedRow {
  readonly uuid: string;
  readonly name: string;
  readonly role: string;
  readonly group: string | null;
  readonly mtotal: number | null;
  readonly mfree: number | null;
  readonly mnode: number | null;
  readonly dtotal: number | null;
  readonly dfree: number | null;
  readonly ctotal: number | null;
  readonly csockets: number | null;
  readonly pinst_cnt: number;
  readonly sinst_cnt: number;
  readonly pip: string | null;
  readonly sip: string | null;
  readonly powered: boolean | null;
  readonly vm_capable: boolean | null;
  readonly master_capable: boolean | null;
  readonly tags: readonly string[] | null;
}

/** A row of the list; `n1` is null if the node has no figures. */
export interface NodeListRow extends QueriedRow {
  readonly n1: "holds" | "fails" | null;
}

const fields = [
  ...["uuid", "name", "role", "group", "mtotal", "mfree", "mnode", "dtotal", "dfree", "ctotal"],
  ...["csockets", "pinst_cnt", "sinst_cnt", "pip", "sip", "powered", "vm_capable"],
  ...["master_capable", "tags"],
];

/** Load of a node as hbal counts it. Sizes in MiB. */
export interface NodeLoad {
  readonly name: string;
  readonly group: string;
  readonly offline: boolean;
  readonly fails_n1: boolean;
  readonly memory_total: number;
  readonly memory_free: number;
  readonly memory_reserved: number;
  readonly disk_total: number;
  readonly disk_free: number;
  readonly vcpus: number;
  readonly vcpus_max: number;
  readonly pinst_cnt: number;
  readonly sinst_cnt: number;
}

export const nodeLoads = (): Promise<readonly NodeLoad[]> => ask("GET", "/ganeti-ts/1/node-loads");

async function rowsOf(filter: unknown): Promise<readonly NodeListRow[]> {
  const [rows, loads] = await Promise.all([query<QueriedRow>("node", fields, filter), nodeLoads()]);
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
export function nodeSource(filterText: string): Source<NodeListRow> {
  return {
    keyOf: ({ uuid }) => uuid,
    readAll: async () => rowsOf(await filterOf(filterText)),
    async readSome(uuids) {
      const filter = await filterOf(filterText);
      const these = anyOf("uuid", uuids);
      return rowsOf(filter === null ? these : ["&", filter, these]);
    },
    effectOf(event, rows) {
      if (event.topic === "config") {
        const nodes = event.changes.filter(({ type }) => type === "node");
        return {
          keys: nodes.flatMap(({ uuid }) => uuid ?? []),
          isStale: event.changes.length > nodes.length,
        };
      }
      if (!hasEnded(event.status)) return {};
      const names = new Set(event.summary.flatMap((text) => nodeIn.exec(text)?.[1] ?? []));
      const keys = [...rows.values()].flatMap(({ name, uuid }) => (names.has(name) ? [uuid] : []));
      return { keys, isStale: true };
    },
  };
}

const yesNo = (value: boolean | null): string => (value === null ? "–" : value ? "yes" : "no");

const size = (
  field: "mtotal" | "mfree" | "mnode" | "dtotal" | "dfree",
  title: string,
): Column<NodeListRow> => ({
  ...{ field, title, width: "6.4rem", isNumber: true },
  text: (row) => sizeText(row[field]),
});
const count = (
  field: "ctotal" | "csockets" | "pinst_cnt" | "sinst_cnt",
  title: string,
): Column<NodeListRow> => ({
  ...{ field, title, width: "5.2rem", isNumber: true },
  text: (row) => plainText(row[field]),
});
const flag = (
  field: "powered" | "vm_capable" | "master_capable",
  title: string,
): Column<NodeListRow> => ({
  ...{ field, title, width: "6rem" },
  text: (row) => yesNo(row[field]),
});

const columns: readonly Column<NodeListRow>[] = [
  {
    ...{ field: "name", title: "Name", width: "minmax(9rem, 3fr)" },
    ...{ narrowWidth: "minmax(5rem, 1fr)", text: ({ name }) => name },
  },
  {
    ...{ field: "role", title: "Role", width: "6.5rem", narrowWidth: "6.5rem" },
    text: ({ role }) => roleText(role),
  },
  {
    ...{ field: "group", title: "Group", width: "minmax(5rem, 1fr)" },
    text: ({ group }) => plainText(group),
  },
  { field: "n1", title: "N+1", width: "4.5rem", text: ({ n1 }) => plainText(n1) },
  size("mfree", "Memory free"),
  size("mtotal", "Memory"),
  size("mnode", "Own memory"),
  size("dfree", "Disk free"),
  size("dtotal", "Disk"),
  count("ctotal", "CPUs"),
  count("csockets", "Sockets"),
  count("pinst_cnt", "Primary"),
  count("sinst_cnt", "Secondary"),
  { field: "pip", title: "Address", width: "8rem", text: ({ pip }) => plainText(pip) },
  { field: "sip", title: "Second address", width: "8rem", text: ({ sip }) => plainText(sip) },
  flag("powered", "Powered"),
  flag("vm_capable", "Takes instances"),
  flag("master_capable", "May be master"),
  {
    ...{ field: "tags", title: "Tags", width: "minmax(6rem, 2fr)" },
    text: ({ tags }) => joinedText(tags),
  },
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
