/** Objects of the remote API: the fields of each kind, in their order. */

import type { Field, FieldContext } from "@ganeti-ts/cluster-queries";
import { groupFields, instanceFields, networkFields, nodeFields } from "@ganeti-ts/cluster-queries";
import type { GroupObject, InstanceObject, NetworkObject, NodeObject } from "@ganeti-ts/protocol";
import { type ResultEntry, resultStatus } from "@ganeti-ts/query";

const common = ["ctime", "mtime", "uuid", "serial_no", "tags"] as const;

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== "");

/** Names of fields, in the order of the keys of the objects. */
const rapiFields = {
  instance: [
    ...words(`name admin_state os pnode snodes disk_template nic.ips nic.macs nic.modes nic.uuids
      nic.names nic.links nic.networks nic.networks.names nic.bridges network_port disk.sizes
      disk.spindles disk_usage disk.uuids disk.names beparams hvparams oper_state oper_ram
      oper_vcpus status custom_hvparams custom_beparams custom_nicparams`),
    ...common,
    "forthcoming",
  ],
  node: [
    ...words(`name offline master_candidate drained dtotal dfree sptotal spfree mtotal mnode mfree
      pinst_cnt sinst_cnt ctotal cnos cnodes csockets pip sip role pinst_list sinst_list
      master_capable vm_capable ndparams group.uuid`),
    ...common,
  ],
  group: [
    ...words(`alloc_policy name node_cnt node_list ipolicy custom_ipolicy diskparams
      custom_diskparams ndparams custom_ndparams`),
    ...common,
  ],
  network: [
    ...words(`name network gateway network6 gateway6 mac_prefix free_count reserved_count map
      group_list inst_list external_reservations`),
    ...common,
  ],
  /** Fields in a list; a single job has `oplog` and `opresult` as well. */
  jobs: words("id ops status summary opstatus received_ts start_ts end_ts"),
  job: words("id ops status summary opstatus received_ts start_ts end_ts oplog opresult"),
} as const satisfies Record<string, readonly string[]>;

export interface RapiItems {
  readonly instance: InstanceObject;
  readonly node: NodeObject;
  readonly group: GroupObject;
  readonly network: NetworkObject;
}

export type RapiKind = keyof RapiItems;

/** A key of such an object: the source of its value, and whether it needs live data from nodes. */
export interface RapiKey<Item> {
  readonly name: string;
  /** JSON text before the value: the name, after a comma unless it is the first key. */
  readonly begin: string;
  readonly live: boolean;
  readonly value: (item: Item, context: FieldContext) => unknown;
  /**
   * Key of values that many items share and that depend only on the item and on the cluster's
   * parameters of hypervisors and backends: items with the same key have the same value.
   */
  readonly like?: (item: Item) => string;
}

export const rapiKeys: { readonly [Kind in RapiKind]: readonly RapiKey<RapiItems[Kind]>[] } = {
  instance: keysOf(rapiFields.instance, instanceFields).map((key) => {
    switch (key.name) {
      case "beparams":
        return {
          ...key,
          value: (item, context) => withMemory(key.value(item, context)),
          like: ({ beparams }) => JSON.stringify(beparams),
        };
      case "hvparams":
        return {
          ...key,
          like: ({ hypervisor, os, hvparams }) => JSON.stringify([hypervisor, os, hvparams]),
        };
      default:
        return key;
    }
  }),
  node: keysOf(rapiFields.node, nodeFields),
  group: keysOf(rapiFields.group, groupFields),
  network: keysOf(rapiFields.network, networkFields),
};

/** One object, with live data if `context` has it; missing values are null. */
export function rapiObject<Kind extends RapiKind>(
  kind: Kind,
  item: RapiItems[Kind],
  context: FieldContext,
): { readonly [key: string]: unknown } {
  const keys: readonly RapiKey<RapiItems[Kind]>[] = rapiKeys[kind];
  return Object.fromEntries(keys.map(({ name, value }) => [name, value(item, context)]));
}

function keysOf<Item>(names: readonly string[], fields: readonly Field<Item>[]): RapiKey<Item>[] {
  const byName = new Map(fields.map((field) => [field.definition.name, field]));
  return names.map((name, at) => {
    const { needs, entry } = byName.get(name) as Field<Item>;
    const live = needs !== undefined;
    return {
      name,
      begin: `${at === 0 ? "" : ","}"${name}":`,
      live,
      value: (item, context) =>
        live && context.live === undefined ? null : shownValue(entry(item, context)),
    };
  });
}

const shownValue = ([status, value]: ResultEntry): unknown =>
  status === resultStatus.normal ? value : null;

/** Adds `memory`, the older name of `maxmem`. */
const withMemory = (beparams: unknown): unknown => {
  const filled = beparams as { readonly maxmem: number };
  return { ...filled, memory: filled.maxmem };
};
