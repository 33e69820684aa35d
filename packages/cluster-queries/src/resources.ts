/** Resources that can be queried, with their fields. */
import type { Snapshot } from "@ganeti-ts/config";
import type { LockName, LockRow } from "@ganeti-ts/locking";
import type {
  FilterRule,
  GroupObject,
  InstanceObject,
  JobId,
  NetworkObject,
  NodeObject,
} from "@ganeti-ts/protocol";
import type { FieldDefinition } from "@ganeti-ts/query";
import { fieldDefinitions } from "@ganeti-ts/query";
import { type ClusterItem, clusterFields } from "./cluster-fields.js";
import { type ExportItem, exportFields } from "./export-fields.js";
import { type ExtStorageItem, extStorageFields } from "./ext-storage-fields.js";
import { type Field, queryFields } from "./field.js";
import { groupFields } from "./group-fields.js";
import { instanceFields, instanceLabel } from "./instance-fields.js";
import { networkFields } from "./network-fields.js";
import { nodeFields } from "./node-fields.js";
import { type OsItem, osFields } from "./os-fields.js";
import { filterFields, type JobItem, jobFields, lockFields } from "./queue-fields.js";

/** Type of the items of each resource. */
export interface QueryItems {
  readonly cluster: ClusterItem;
  readonly export: ExportItem;
  readonly extstorage: ExtStorageItem;
  readonly filter: FilterRule;
  readonly group: GroupObject;
  readonly instance: InstanceObject;
  readonly job: JobItem;
  readonly lock: LockRow;
  readonly network: NetworkObject;
  readonly node: NodeObject;
  readonly os: OsItem;
}

/** Kind of things that can be queried: one of `queryKinds`. */
export type QueryKind = keyof QueryItems;

/** Kinds of things that can be queried. */
export const queryKinds = [
  ...(["cluster", "export", "extstorage", "filter", "group", "instance"] as const),
  ...(["job", "lock", "network", "node", "os"] as const),
] satisfies readonly QueryKind[];

/** A resource with its item type. */
export interface Resource<Item> {
  /** Name of an item in messages. */
  readonly title: string;
  readonly fields: readonly Field<Item>[];
  readonly nameField: string;
  readonly name: (item: Item, now: Snapshot) => string;
  readonly missing?: (name: string) => Item;
}

/** The fields of each kind of things, and how its items are found. */
export const resources: { readonly [Kind in QueryKind]: Resource<QueryItems[Kind]> } = {
  cluster: {
    title: "Cluster",
    fields: clusterFields,
    nameField: "name",
    name: (_, now) => now.cluster.cluster_name,
  },
  export: {
    title: "Export",
    fields: exportFields,
    nameField: "node",
    name: ({ node }) => node.name,
  },
  extstorage: {
    title: "ExtStorage provider",
    fields: extStorageFields,
    nameField: "name",
    name: ({ name }) => name,
  },
  // A filter rule has no name: selecting a UUID is an ordinary filter.
  filter: { title: "Filter", fields: filterFields, nameField: "name", name: ({ uuid }) => uuid },
  group: { title: "Group", fields: groupFields, nameField: "name", name: ({ name }) => name },
  instance: {
    title: "Instance",
    fields: instanceFields,
    nameField: "name",
    name: instanceLabel,
  },
  job: {
    title: "Job",
    fields: jobFields,
    nameField: "id",
    name: ({ id }) => String(id),
    missing: (name) => ({ id: Number(name) as JobId, values: undefined }),
  },
  lock: {
    title: "Lock",
    fields: lockFields,
    nameField: "name",
    name: ({ name }) => name,
    missing: (name) => ({ name: name as LockName, mode: null, owner: [], pending: [] }),
  },
  network: {
    title: "Network",
    fields: networkFields,
    nameField: "name",
    name: ({ name }) => name,
  },
  node: { title: "Node", fields: nodeFields, nameField: "name", name: ({ name }) => name },
  os: { title: "OS", fields: osFields, nameField: "name", name: ({ name }) => name },
};

/**
 * Definitions of the named fields, in that order, with unknown ones marked; without names all, sorted
 * naturally.
 */
export function fieldsOf(kind: QueryKind, names?: readonly string[]): readonly FieldDefinition[] {
  const { title, nameField, fields } = resources[kind] as Resource<unknown>;
  const withoutContext = { now: undefined as never, live: undefined };
  return fieldDefinitions(
    { title, nameField, name: () => "", fields: queryFields(fields, withoutContext) },
    names,
  );
}

/** The listed objects of a resource in the configuration. */
export function configuredItems(
  kind: "group" | "instance" | "network" | "node",
  now: Snapshot,
): Iterable<GroupObject | InstanceObject | NetworkObject | NodeObject> {
  switch (kind) {
    case "group":
      return now.groups();
    case "instance":
      return now.instances();
    case "network":
      return now.networks();
    case "node":
      return now.nodes();
  }
}
