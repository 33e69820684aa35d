/** OP_CLUSTER_POST_INIT and OP_CLUSTER_DESTROY: after the beginning of a cluster, and at its end. */

import { filledNdparams } from "@ganeti-ts/config";
import { bigLock } from "@ganeti-ts/locking";
import { onNodes } from "../hooks/hooks.js";
import { ask, info, valueOrFail, warn } from "../unit/effects.js";
import { asExclusive } from "../unit/locks.js";
import { wrongInput } from "../unit/refusals.js";
import { areChecksAll, type Unit } from "../unit/unit.js";
import { masterAddress } from "./master-ip.js";

/** OP_CLUSTER_POST_INIT: runs the hooks of a cluster that has just been created. */
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

/**
 * OP_CLUSTER_DESTROY: takes down the address of an empty cluster; its server removes the stored
 * data.
 */
export const destroyCluster: Unit<"OP_CLUSTER_DESTROY"> = {
  opcode: "OP_CLUSTER_DESTROY",
  hooks: {
    path: "cluster-destroy",
    object: "CLUSTER",
    environment: (_, { cluster }) => ({ OP_TARGET: cluster.cluster_name }),
    nodes: () => onNodes(),
  },

  locks: () => asExclusive(bigLock),

  async run(op, world) {
    const now = world.config.snapshot;
    if (now.nodeCount !== 1) {
      wrongInput(`There are still ${now.nodeCount - 1} node(s) in this cluster.`);
    }
    const { instanceCount } = now;
    if (instanceCount > 0) {
      wrongInput(`There are still ${instanceCount} instance(s) in this cluster.`);
    }
    const { master_node } = now.cluster;
    if (await areChecksAll(world, op)) return null;
    await world.hooks.afterOn(master_node);
    const address = masterAddress(now);
    const answer = await ask(world, master_node, "node_deactivate_master_ip", address);
    if (!answer.ok) warn(world, `Error disabling the master IP address: ${answer.message}`);
    return master_node;
  },
};
