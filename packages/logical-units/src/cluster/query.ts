/** OP_CLUSTER_QUERY: information about the cluster. */

import { clusterInfo } from "@ganeti-ts/cluster-queries";
import type { Json } from "@ganeti-ts/protocol";
import type { Unit } from "../unit/unit.js";

export const queryCluster: Unit<"OP_CLUSTER_QUERY"> = {
  opcode: "OP_CLUSTER_QUERY",

  locks: () => [],

  async run(_, world) {
    const info = clusterInfo(world.config.snapshot, ["64bits", "x86_64"]);
    // The job's result contains only the enabled hypervisors.
    const enabled = info.enabled_hypervisors as readonly string[];
    const only = (sets: object) =>
      Object.fromEntries(Object.entries(sets).filter(([name]) => enabled.includes(name)));
    const os_hvp = Object.fromEntries(
      Object.entries(info.os_hvp as object).map(([os, sets]) => [os, only(sets as object)]),
    );
    return { ...info, hvparams: only(info.hvparams as object), os_hvp } as Json;
  },
};
