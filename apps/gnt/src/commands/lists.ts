/** The command `list` of the programs. */
import type { FilterExpression, Json, JsonObject } from "@ganeti-ts/protocol";
import { pythonText } from "@ganeti-ts/protocol";
import type { Invocation } from "../invocation.js";
import { type Listing, list } from "../listing.js";
import type { Format } from "../table.js";
import { defaultGroupFields, defaultNetworkFields, defaultNodeFields } from "./default-fields.js";
import { jobFormats } from "./job/formats.js";
import { statusFilter } from "./job/selection.js";

const joined: Format = { text: (value) => (value as readonly string[]).join(",") };

export const exports = (invocation: Invocation) =>
  list(invocation, {
    kind: "export",
    defaultFields: ["node", "export"],
    nameField: "node",
    status: ofNodes(invocation.options.texts("node")),
  });

/** Null for all nodes. */
const ofNodes = (nodes: readonly string[]): FilterExpression =>
  nodes.length === 0 ? null : ["|", ...nodes.map((node): FilterExpression => ["==", "node", node])];

/** `k=v, k2=v2`, as parameters are listed. */
const parameters = {
  text: (value: Json) => {
    const pairs = Object.entries((value ?? {}) as JsonObject);
    if (pairs.length === 0) return "(empty)";
    return pairs.map(([key, one]) => `${key}=${pythonText(one as Json)}`).join(", ");
  },
};

export const groups = (invocation: Invocation) =>
  list(invocation, {
    kind: "group",
    defaultFields: defaultGroupFields,
    dispensable: ["ndparams"],
    formats: { node_list: joined, pinst_list: joined, ndparams: parameters },
  });

/** Formats lists of plain values, separated by commas. */
const commas: Format = {
  text: (value) => (Array.isArray(value) ? (value as Json[]) : [value]).map(pythonText).join(","),
};

const listed = [
  ...["tags", "disk.sizes", "nic.macs", "nic.ips", "nic.modes", "nic.links", "nic.bridges"],
  ...["nic.networks", "snodes", "snodes.group", "snodes.group.uuid"],
];

/** Reservations are `ADMIN_down` for Ganeti; on a terminal the status column distinguishes them from stopped instances. */
const reservations: NonNullable<Listing["mark"]> = {
  field: "forthcoming",
  marks: "status",
  as: "reserved",
};

export const instances = (invocation: Invocation) =>
  list(invocation, {
    mark: reservations,
    kind: "instance",
    dispensable: ["hypervisor", "os", "oper_ram"],
    defaultFields: ["name", "hypervisor", "os", "pnode", "status", "oper_ram"],
    formats: Object.fromEntries(listed.map((field) => [field, commas])),
  });

export const jobs = (invocation: Invocation) =>
  list(invocation, {
    kind: "job",
    defaultFields: ["id", "status", "summary"],
    nameField: "id",
    numeric: true,
    status: statusFilter(invocation.options) as FilterExpression | undefined,
    moreFields: invocation.options.flag("archived") ? ["archived"] : [],
    formats: jobFormats,
  });

/** `name (mode, link, vlan)` of each group. */
const connections = {
  text: (value: Json) =>
    (value as readonly (readonly string[])[])
      .map(([name, mode, link, vlan]) => `${name} (${mode}, ${link}, ${vlan})`)
      .join(", "),
};

export const networks = (invocation: Invocation) =>
  list(invocation, {
    kind: "network",
    defaultFields: defaultNetworkFields,
    dispensable: ["tags", "mac_prefix", "group_list"],
    formats: { group_list: connections, inst_list: joined, tags: joined },
  });

export const nodes = (invocation: Invocation) =>
  list(invocation, {
    kind: "node",
    defaultFields: defaultNodeFields,
    dispensable: ["mnode", "dtotal", "mtotal"],
    formats: { pinst_list: joined, sinst_list: joined, tags: joined },
  });
