/** OP_QUERY_FIELDS: what can be asked about a resource. */
import type { Json } from "@ganeti-ts/protocol";
import { fieldsOf } from "../../fields/resources.js";
import type { Unit } from "../../unit.js";

export const queryFields: Unit<"OP_QUERY_FIELDS"> = {
  opcode: "OP_QUERY_FIELDS",

  locks: () => [],

  run: async (op) => ({ fields: fieldsOf(op.what, op.fields) }) as unknown as Json,
};
