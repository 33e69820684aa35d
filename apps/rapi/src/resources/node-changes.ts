/** Methods that change nodes. */
import * as z from "zod";
import { HttpFault, typeName } from "../http/fault.js";
import { submits } from "./job-method.js";
import type { Call, Method } from "./resource.js";

const path = { node_name: "node" };

export const powercycle = submits({
  summary: "Switches a node off and on",
  source: "nodes_name_powercycle",
  opcode: "OP_NODE_POWERCYCLE",
  path,
  flags: { force: "force" },
});

export const modify = submits({
  summary: "Changes a node's parameters",
  source: "nodes_name_modify",
  opcode: "OP_NODE_SET_PARAMS",
  path,
});

export const evacuate = submits({
  summary: "Moves instances away from a node; the job's result lists the jobs that do it",
  source: "nodes_name_evacuate",
  opcode: "OP_NODE_EVACUATE",
  path,
  flags: { dry_run: "dry-run" },
});

/** Also accepts the query arguments of older clients if there is no body. */
export const migrate = submits({
  summary: "Migrates all primary instances of a node; the job's result lists the jobs that do it",
  source: "nodes_name_migrate",
  opcode: "OP_NODE_MIGRATE",
  path,
  fixed: {
    names: [],
    of: () => ({}),
    query: { mode: "live or non-live; only without a body", live: "The same as 1 or 0" },
  },
  body: ({ query, body }) => {
    const hasBody = body !== undefined && body !== null && Object.keys(Object(body)).length > 0;
    if (hasBody || !(query.has("live") || query.has("mode"))) return body;
    if (query.has("live") && query.has("mode")) {
      throw new HttpFault(400, "Only one of 'live' and 'mode' should be passed");
    }
    if (query.has("live")) return { mode: query.flag("live", true) ? "live" : "non-live" };
    return { mode: query.text("mode") ?? null };
  },
});

const roles = z.enum(["master-candidate", "regular", "drained", "offline"]);

/** Flags of a node for each role; null leaves a flag unchanged. */
const marksOf = {
  regular: { master_candidate: false, offline: false, drained: false },
  "master-candidate": { master_candidate: true, offline: null, drained: null },
  drained: { master_candidate: null, offline: null, drained: true },
  offline: { master_candidate: null, offline: true, drained: null },
} as const;

export const setRole: Method = {
  ...submits({
    summary: "Gives a node another role",
    source: "nodes_name_role",
    opcode: "OP_NODE_SET_PARAMS",
    path,
    flags: { force: "force", auto_promote: "auto-promote" },
    fixed: {
      names: ["master_candidate", "offline", "drained"],
      of: (call) => marksOf[roleIn(call)],
    },
    body: "ignored",
  }),
  body: roles,
};

function roleIn({ body }: Call): z.infer<typeof roles> {
  if (typeof body !== "string") {
    throw new HttpFault(400, `Body contents: Type is '${typeName(body)}', but 'str' is expected`);
  }
  const role = roles.safeParse(body);
  if (role.success) return role.data;
  throw new HttpFault(400, `Can't set '${body}' role`);
}

// Storage units.

const storageQuery = {
  storage_type: "file, lvm-pv, lvm-vg, …",
  name: "The unit; required",
};

export const queryStorage = submits({
  summary: "Asks a node for its storage units; the job's result is the rows",
  source: "nodes_name_storage",
  opcode: "OP_NODE_QUERY_STORAGE",
  fixed: {
    names: ["nodes", "storage_type", "output_fields"],
    of: ({ names, query }) => {
      const fields = query.text("output_fields");
      if (fields === undefined) {
        throw new HttpFault(400, "Missing the required 'output_fields' parameter");
      }
      return {
        nodes: [names.node as string],
        storage_type: query.text("storage_type") ?? null,
        output_fields: fields.split(","),
      };
    },
    query: {
      storage_type: storageQuery.storage_type,
      output_fields: "Names of fields with commas between them; required",
    },
  },
  body: "ignored",
});

const storageUnit = ({ query }: Call) => {
  const name = query.text("name");
  if (name === undefined) throw new HttpFault(400, "Missing the required 'name' parameter");
  return { storage_type: query.text("storage_type") ?? null, name };
};

export const modifyStorage = submits({
  summary: "Changes a storage unit of a node",
  source: "nodes_name_storage_modify",
  opcode: "OP_NODE_MODIFY_STORAGE",
  path,
  fixed: {
    names: ["storage_type", "name", "changes"],
    of: (call) => ({
      ...storageUnit(call),
      changes: call.query.has("allocatable")
        ? { allocatable: call.query.flag("allocatable", true) }
        : {},
    }),
    query: { ...storageQuery, allocatable: "1 or 0: whether new volumes may be put on it" },
  },
  body: "ignored",
});

export const repairStorage = submits({
  summary: "Repairs a storage unit of a node",
  source: "nodes_name_storage_repair",
  opcode: "OP_REPAIR_NODE_STORAGE",
  path,
  fixed: { names: ["storage_type", "name"], of: storageUnit, query: storageQuery },
  body: "ignored",
});
