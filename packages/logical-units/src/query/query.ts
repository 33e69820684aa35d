/** OP_QUERY: runs a query as a job. */

import { queryResource } from "@ganeti-ts/cluster-queries";
import type { Json } from "@ganeti-ts/protocol";
import type { Unit } from "../unit/unit.js";
import { queryFault } from "./query-fault.js";

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
