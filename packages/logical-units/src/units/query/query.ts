/** OP_QUERY: a query as a job. */
import type { Json } from "@ganeti-ts/protocol";
import { queryFault } from "../../fields/query-fault.js";
import { queryResource } from "../../fields/query-resource.js";
import type { Unit } from "../../unit.js";

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
