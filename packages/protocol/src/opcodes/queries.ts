/** Queries that run as jobs. */
import { QueryResource } from "./choices.js";
import { opcode } from "./define.js";
import { anything, flag, listOf, nonEmpty } from "./values.js";

export const queryOpcodes = {
  OP_QUERY: opcode("OP_QUERY", "what", {
    what: QueryResource,
    use_locking: flag.default(false),
    fields: listOf(nonEmpty),
    qfilter: listOf(anything).optional(),
  }),
  OP_QUERY_FIELDS: opcode("OP_QUERY_FIELDS", "what", {
    what: QueryResource,
    fields: listOf(nonEmpty).optional(),
  }),
  OP_OS_DIAGNOSE: opcode("OP_OS_DIAGNOSE", null, {
    output_fields: listOf(nonEmpty),
    names: listOf(nonEmpty).default([]),
  }),
  OP_EXT_STORAGE_DIAGNOSE: opcode("OP_EXT_STORAGE_DIAGNOSE", null, {
    output_fields: listOf(nonEmpty),
    names: listOf(nonEmpty).default([]),
  }),
};
