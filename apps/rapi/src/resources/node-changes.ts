/** Methods that change nodes. */
import * as z from "zod";
import { HttpFault, typeName } from "../http/fault.js";
import { submits } from "./job-method.js";
import type { Call } from "./resource.js";

/** Also accepts the query arguments of older clients if there is no body. */
const migration =
  "Migrates all primary instances of a node; the job's result lists the jobs that do it";
export const migrate = submits("OP_NODE_MIGRATE", migration, {
  query: { mode: "live or non-live; only without a body", live: "The same as 1 or 0" },
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

export const setRole = submits("OP_NODE_SET_PARAMS", "Gives a node another role", {
  flags: ["force", "auto-promote"],
  fixed: { names: Object.keys(marksOf.regular), of: (call) => marksOf[roleIn(call)] },
  body: "ignored",
  also: { body: roles },
});

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

const storageUnits = "Asks a node for its storage units; the job's result is the rows";
export const queryStorage = submits("OP_NODE_QUERY_STORAGE", storageUnits, {
  query: {
    storage_type: storageQuery.storage_type,
    output_fields: "Names of fields with commas between them; required",
  },
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
  },
  body: "ignored",
});

const storageUnit = ({ query }: Call) => {
  const name = query.text("name");
  if (name === undefined) throw new HttpFault(400, "Missing the required 'name' parameter");
  return { storage_type: query.text("storage_type") ?? null, name };
};

export const modifyStorage = submits("OP_NODE_MODIFY_STORAGE", "Changes a storage unit of a node", {
  query: { ...storageQuery, allocatable: "1 or 0: whether new volumes may be put on it" },
  fixed: {
    names: ["storage_type", "name", "changes"],
    of: (call) => ({
      ...storageUnit(call),
      changes: call.query.has("allocatable")
        ? { allocatable: call.query.flag("allocatable", true) }
        : {},
    }),
  },
  body: "ignored",
});

export const repairStorage = submits("OP_REPAIR_NODE_STORAGE", "Repairs a storage unit of a node", {
  query: storageQuery,
  fixed: { names: ["storage_type", "name"], of: storageUnit },
  body: "ignored",
});
