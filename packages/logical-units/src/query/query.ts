/** OP_QUERY and OP_QUERY_FIELDS: queries as jobs. */
import { fieldsOf, queryResource } from "@ganeti-ts/cluster-queries";
import { PrereqError } from "@ganeti-ts/job-queue";
import type { Json } from "@ganeti-ts/protocol";
import { FilterError } from "@ganeti-ts/query";
import type { Unit } from "../unit/unit.js";

/** OP_QUERY: runs a query as a job. */
export const query: Unit<"OP_QUERY"> = {
  opcode: "OP_QUERY",

  locks: () => [],

  async run(op, world) {
    const { config, nodes, queue, lease, signal } = world;
    const deps = { now: config.snapshot, nodes, queue, caller: { lease, signal } };
    try {
      const { fields, data } = await queryResource(
        { ...deps, architecture: ["64bits", "x86_64"] },
        ...([op.what, op.fields, op.qfilter] as const),
      );
      return { fields, data } as unknown as Json;
    } catch (error) {
      throw queryFault(error);
    }
  },
};

/** OP_QUERY_FIELDS: lists the fields of a resource. */
export const queryFields: Unit<"OP_QUERY_FIELDS"> = {
  opcode: "OP_QUERY_FIELDS",

  locks: () => [],

  run: async (op) => ({ fields: fieldsOf(op.what, op.fields) }) as unknown as Json,
};

/** Errors of filters become refusals with Ganeti's code; other errors stay unchanged. */
export function queryFault(error: unknown): unknown {
  if (!(error instanceof FilterError)) return error;
  const code = error.code === "unknown_entity" ? "unknown_entity" : "wrong_input";
  return new PrereqError(code, error.message, { cause: error });
}
