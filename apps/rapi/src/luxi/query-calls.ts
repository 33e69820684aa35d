/** LUXI methods that read objects: queries with fields and filters, and the older ones by name. */
import type { LuxiHandler, Result } from "@ganeti-ts/luxi";
import { compareNaturally, type Json } from "@ganeti-ts/protocol";
import { FilterError, type QueryResult } from "@ganeti-ts/query";
import { rowsForHtools } from "./htools-rows.js";
import { filterRefusal, prereqError } from "./refusals.js";
import type { LuxiWorld } from "./world.js";

export type QueryCalls = Pick<
  LuxiHandler,
  | "query"
  | "queryFields"
  | "queryInstances"
  | "queryNodes"
  | "queryGroups"
  | "queryNetworks"
  | "queryExports"
  | "queryTags"
  | "queryConfigValues"
  | "queryClusterInfo"
>;

type Table = Result<"Query">;
type Rows = Result<"QueryNodes">;

export function queryCalls(world: LuxiWorld): QueryCalls {
  const { objects, snapshot } = world;
  const byName =
    (kind: NamedKind): QueryCalls["queryNodes"] =>
    ({ names, fields }) =>
      rowsByName(world, kind, names, fields);
  return {
    async query({ kind, fields, filter }) {
      const table = await refusing([kind, fields, filter], () =>
        objects.query(kind, fields, filter as Json),
      );
      return rowsForHtools({ kind, fields, filter }, table as Table);
    },

    queryFields: ({ kind, fields }) => ({ fields: objects.fields(kind, fields ?? undefined) }),

    queryInstances: byName("instance"),
    queryNodes: byName("node"),
    queryGroups: byName("group"),
    queryNetworks: byName("network"),

    async queryExports({ nodes }) {
      const filter = nodes.length === 0 ? null : anyOf("node", nodes);
      const table = await refusing([nodes, false], () =>
        objects.query("export", ["node", "export"], filter),
      );
      return plain(table) as Result<"QueryExports">;
    },

    queryTags({ kind, name }) {
      const tags = objects.tags(kind === "nodegroup" ? "group" : kind, name);
      if (tags !== undefined) return [...tags].sort();
      throw prereqError(`${titles[kind]} name ${name} not found`, "unknown_entity");
    },

    queryConfigValues: ({ names }) => Promise.all(names.map((name) => configValue(name, world))),

    queryClusterInfo: () => objects.info() as Result<"QueryClusterInfo">,
  };

  function configValue(name: string, { queue }: LuxiWorld): Json | Promise<Json> {
    const { cluster, node } = { cluster: snapshot().cluster, node: snapshot() };
    switch (name) {
      case "cluster_name":
        return cluster.cluster_name;
      case "master_node":
        return node.node(cluster.master_node)?.name ?? null;
      case "drain_flag":
        return queue.settings.drained;
      case "watcher_pause":
        return objects.watcherPause();
      case "modify_ssh_setup":
      case "ssh_key_type":
      case "ssh_key_bits":
        return cluster[name] as Json;
      default:
        return null;
    }
  }
}

const titles = {
  cluster: "Cluster",
  node: "Node",
  nodegroup: "Group",
  instance: "Instance",
  network: "Network",
} as const;

/** Kinds of objects that have names, by which they are found directly. */
type NamedKind = "instance" | "node" | "group" | "network";

/**
 * Rows of plain values of the objects of these names, in natural order of the names, each once; names
 * that nothing has are left out. No names: all objects. Cost: the objects named, or all.
 */
async function rowsByName(
  { objects, snapshot }: LuxiWorld,
  kind: NamedKind,
  names: readonly string[],
  fields: readonly string[],
): Promise<Rows> {
  refuseUnknownFields(objects.fields(kind, fields));
  if (names.length === 0) return plain(await objects.query(kind, fields, null));
  const now = snapshot();
  const found = new Set(names.flatMap((name) => now.find(kind, name) ?? []));
  if (found.size === 0) return [];
  const sorted = Array.from(found, ({ uuid, name }) => name ?? uuid).sort(compareNaturally);
  return plain(await objects.query(kind, fields, anyOf("name", sorted)));
}

/** Refuses unknown fields in answers of plain values, which could not mark such a column. @throws GanetiError */
export function refuseUnknownFields(
  definitions: readonly { readonly name: string; readonly kind: string }[],
): void {
  const unknown = definitions.filter(({ kind }) => kind === "unknown").map(({ name }) => name);
  if (unknown.length === 0) return;
  throw prereqError(`Unknown output fields selected: ${unknown.join(", ")}`, "wrong_input");
}

export const anyOf = (field: string, values: readonly string[]): Json => [
  "|",
  ...values.map((value) => ["==", field, value]),
];

/** The values alone; missing ones are null. */
export const plain = ({ data }: QueryResult): Rows =>
  data.map((row) => row.map(([, value]) => value as Json));

/** Runs a query, and converts refusals to Ganeti's errors. @throws GanetiError, RequestFault */
export async function refusing<Value>(
  args: readonly unknown[],
  query: () => Promise<Value>,
): Promise<Value> {
  try {
    return await query();
  } catch (error) {
    throw error instanceof FilterError ? filterRefusal(error, args as Json[]) : error;
  }
}
