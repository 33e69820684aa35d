/** OP_CLUSTER_POST_INIT: runs the hooks of a cluster that has just been created. */

import { filledNdparams } from "@ganeti-ts/config";
import { bigLock } from "@ganeti-ts/locking";
import { ask, valueOrFail } from "../unit/calls.js";
import { areChecksAll } from "../unit/checks-done.js";
import { info } from "../unit/feedback.js";
import { asExclusive } from "../unit/locks.js";
import type { Unit } from "../unit/unit.js";

export const postInit: Unit<"OP_CLUSTER_POST_INIT"> = {
  opcode: "OP_CLUSTER_POST_INIT",
  hooks: {
    path: "cluster-init",
    object: "CLUSTER",
    environment: (_, { cluster }) => ({ OP_TARGET: cluster.cluster_name }),
    nodes: (_, { cluster }) => ({ before: [], after: [cluster.master_node] }),
  },

  locks: () => asExclusive(bigLock),

  async run(op, world) {
    const now = world.config.snapshot;
    const master = now.expectNode(now.cluster.master_node);
    const { ovs, ovs_name, ovs_link } = filledNdparams(now, master);
    if (ovs && ovs_link === "") {
      info(
        world,
        "No physical interface for OpenvSwitch was given. OpenvSwitch will not have an outside" +
          " connection. This might not be what you want.",
      );
    }
    if ((await areChecksAll(world, op)) || !ovs) return true;
    valueOrFail(
      await ask(world, master.uuid, "node_configure_ovs", {
        name: ovs_name,
        link: ovs_link || null,
      }),
      "Could not successully configure Open vSwitch",
    );
    return true;
  },
};
