/** OP_QUERY_FIELDS: lists the fields of a resource. */

import { fieldsOf } from "@ganeti-ts/cluster-queries";
import type { Json } from "@ganeti-ts/protocol";
import type { Unit } from "../unit/unit.js";

export const queryFields: Unit<"OP_QUERY_FIELDS"> = {
  opcode: "OP_QUERY_FIELDS",

  locks: () => [],

  run: async (op) => ({ fields: fieldsOf(op.what, op.fields) }) as unknown as Json,
};
