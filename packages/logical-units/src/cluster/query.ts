/** OP_CLUSTER_QUERY and OP_CLUSTER_CONFIG_QUERY: information about the cluster, and values of its fields. */

import { clusterInfo, queryResource, resources } from "@ganeti-ts/cluster-queries";
import type { Json } from "@ganeti-ts/protocol";
import { resultStatus } from "@ganeti-ts/query";
import { wrongInput } from "../unit/refusals.js";
import type { Unit } from "../unit/unit.js";

/** OP_CLUSTER_QUERY: information about the cluster. */
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

/** OP_CLUSTER_CONFIG_QUERY: values of the cluster's fields. */
export const queryConfig: Unit<"OP_CLUSTER_CONFIG_QUERY"> = {
  opcode: "OP_CLUSTER_CONFIG_QUERY",

  locks: () => [],

  async run(op, world) {
    const known = new Set(resources.cluster.fields.map(({ definition }) => definition.name));
    const unknown = op.output_fields.filter((name) => !known.has(name));
    if (unknown.length > 0) wrongInput(`Unknown output fields selected: ${unknown.join(", ")}`);
    const { config, nodes, lease, signal } = world;
    const deps = { now: config.snapshot, nodes, caller: { lease, signal } };
    const { data } = await queryResource(
      { ...deps, architecture: ["64bits", "x86_64"] },
      ...(["cluster", op.output_fields, null] as const),
    );
    return (data[0] ?? []).map(([status, value]) =>
      status === resultStatus.normal ? value : null,
    ) as Json[];
  },
};
