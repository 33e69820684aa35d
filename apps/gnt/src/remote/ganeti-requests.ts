/** Requests of Ganeti's RAPI that submit opcodes. Source: Ganeti, lib/rapi/rlib2.py. */
import type { Json } from "@ganeti-ts/protocol";
import type { OpcodeJson } from "../cluster.js";

export interface GanetiRequest {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  /** Parts in braces are parameters: `/2/instances/{instance_name}/startup`. */
  readonly path: string;
  /** Parameters passed as query arguments, by the argument's name; true is 1. */
  readonly query?: Readonly<Record<string, string>>;
  /** Whether other parameters are passed in the body; without it they are not supported. */
  readonly body?: true;
  /** Further values of the body. */
  readonly beside?: Readonly<Record<string, Json>>;
}

const dryRun = { dry_run: "dry-run" };
const force = { force: "force" };

const instance = (
  method: GanetiRequest["method"],
  what: string,
  more: Omit<GanetiRequest, "method" | "path"> = { body: true },
): GanetiRequest => ({ method, path: `/2/instances/{instance_name}${what}`, ...more });

const group = (method: GanetiRequest["method"], what: string, query = {}): GanetiRequest => ({
  method,
  path: `/2/groups/{group_name}${what}`,
  body: true,
  query,
});

const network = (method: GanetiRequest["method"], what: string, query = {}): GanetiRequest => ({
  method,
  path: `/2/networks/{network_name}${what}`,
  body: true,
  query,
});

const node = (
  method: GanetiRequest["method"],
  what: string,
  more: Omit<GanetiRequest, "method" | "path"> = { body: true },
): GanetiRequest => ({ method, path: `/2/nodes/{node_name}${what}`, ...more });

const storage = { storage_type: "storage_type", name: "name" };

const requests: Readonly<Record<string, GanetiRequest>> = {
  OP_CLUSTER_SET_PARAMS: { method: "PUT", path: "/2/modify", body: true },
  OP_CLUSTER_REDIST_CONF: { method: "PUT", path: "/2/redistribute-config" },

  OP_NODE_POWERCYCLE: node("POST", "/powercycle", { query: force }),
  OP_NODE_SET_PARAMS: node("POST", "/modify"),
  OP_NODE_EVACUATE: node("POST", "/evacuate", { query: dryRun, body: true }),
  OP_NODE_MIGRATE: node("POST", "/migrate"),
  OP_NODE_MODIFY_STORAGE: node("PUT", "/storage/modify", { query: storage }),
  OP_REPAIR_NODE_STORAGE: node("PUT", "/storage/repair", { query: storage }),

  OP_GROUP_ADD: { method: "POST", path: "/2/groups", query: dryRun, body: true },
  OP_GROUP_REMOVE: group("DELETE", "", dryRun),
  OP_GROUP_SET_PARAMS: group("PUT", "/modify"),
  OP_GROUP_RENAME: group("PUT", "/rename", dryRun),
  OP_GROUP_ASSIGN_NODES: group("PUT", "/assign-nodes", { ...dryRun, ...force }),

  OP_NETWORK_ADD: { method: "POST", path: "/2/networks", query: dryRun, body: true },
  OP_NETWORK_REMOVE: network("DELETE", "", dryRun),
  OP_NETWORK_SET_PARAMS: network("PUT", "/modify"),
  // Since 3.1.
  OP_NETWORK_RENAME: network("PUT", "/rename", dryRun),
  OP_NETWORK_CONNECT: network("PUT", "/connect", dryRun),
  OP_NETWORK_DISCONNECT: network("PUT", "/disconnect", dryRun),

  OP_INSTANCE_CREATE: {
    method: "POST",
    path: "/2/instances",
    query: dryRun,
    body: true,
    beside: { __version__: 1 },
  },
  OP_INSTANCE_MULTI_ALLOC: {
    method: "POST",
    path: "/2/instances-multi-alloc",
    query: dryRun,
    body: true,
  },
  OP_INSTANCE_REMOVE: instance("DELETE", "", { query: dryRun, body: true }),
  OP_INSTANCE_REBOOT: instance("POST", "/reboot", {
    query: { ...dryRun, reboot_type: "type", ignore_secondaries: "ignore_secondaries" },
    body: true,
  }),
  OP_INSTANCE_STARTUP: instance("PUT", "/startup", {
    query: { ...dryRun, ...force, no_remember: "no_remember" },
  }),
  OP_INSTANCE_SHUTDOWN: instance("PUT", "/shutdown", {
    query: { ...dryRun, no_remember: "no_remember" },
    body: true,
  }),
  OP_INSTANCE_REPLACE_DISKS: instance("POST", "/replace-disks"),
  OP_INSTANCE_ACTIVATE_DISKS: instance("PUT", "/activate-disks", {
    query: { ignore_size: "ignore_size" },
  }),
  OP_INSTANCE_DEACTIVATE_DISKS: instance("PUT", "/deactivate-disks", { query: force }),
  OP_INSTANCE_RECREATE_DISKS: instance("POST", "/recreate-disks"),
  OP_INSTANCE_GROW_DISK: instance("POST", "/disk/{disk}/grow"),
  OP_INSTANCE_MIGRATE: instance("PUT", "/migrate"),
  OP_INSTANCE_FAILOVER: instance("PUT", "/failover"),
  OP_INSTANCE_RENAME: instance("PUT", "/rename"),
  OP_INSTANCE_SET_PARAMS: instance("PUT", "/modify"),
  OP_BACKUP_PREPARE: instance("PUT", "/prepare-export", { query: { mode: "mode" } }),
  OP_BACKUP_EXPORT: instance("PUT", "/export"),
};

const tagPaths: Readonly<Record<string, string>> = {
  cluster: "/2/tags",
  node: "/2/nodes/{name}/tags",
  nodegroup: "/2/groups/{name}/tags",
  instance: "/2/instances/{name}/tags",
  network: "/2/networks/{name}/tags",
};

/** Undefined if Ganeti's RAPI has no request for the opcode, and only its master could run it. */
export function ganetiRequest(opcode: OpcodeJson): GanetiRequest | undefined {
  const { OP_ID: id } = opcode;
  if (id === "OP_TAGS_SET" || id === "OP_TAGS_DEL") {
    const path = tagPaths[String(opcode.kind)];
    if (path === undefined) return undefined;
    const query = { ...dryRun, tags: "tag", kind: "", name: "" };
    return { method: id === "OP_TAGS_SET" ? "PUT" : "DELETE", path, query };
  }
  if (id === "OP_INSTANCE_QUERY_DATA") return instanceData(opcode);
  if (id === "OP_NODE_QUERY_STORAGE") return nodeStorage(opcode);
  return requests[id];
}

/** One instance at a time. */
function instanceData({ instances }: OpcodeJson): GanetiRequest | undefined {
  if (!Array.isArray(instances) || instances.length !== 1) return undefined;
  const path = `/2/instances/${encodeURIComponent(String(instances[0]))}/info`;
  return { method: "GET", path, query: { static: "static", instances: "", use_locking: "" } };
}

/** One node at a time. */
function nodeStorage({ nodes, name }: OpcodeJson): GanetiRequest | undefined {
  if (!Array.isArray(nodes) || nodes.length !== 1 || name) return undefined;
  const path = `/2/nodes/${encodeURIComponent(String(nodes[0]))}/storage`;
  const query = { nodes: "", output_fields: "output_fields", storage_type: "storage_type" };
  return { method: "GET", path, query };
}
