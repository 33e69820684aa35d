/**
 * OP_CLUSTER_DESTROY: takes down the address of an empty cluster; its server removes the stored
 * data.
 */

import { PrereqError } from "@ganeti-ts/job-queue";
import { bigLock } from "@ganeti-ts/locking";
import { onNodes } from "../hooks/hooks.js";
import { ask } from "../unit/calls.js";
import { areChecksAll } from "../unit/checks-done.js";
import { warn } from "../unit/feedback.js";
import { asExclusive } from "../unit/locks.js";
import type { Unit } from "../unit/unit.js";
import { masterAddress } from "./master-address.js";

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
      throw new PrereqError(
        "wrong_input",
        `There are still ${now.nodeCount - 1} node(s) in this cluster.`,
      );
    }
    const { instanceCount } = now;
    if (instanceCount > 0) {
      throw new PrereqError(
        "wrong_input",
        `There are still ${instanceCount} instance(s) in this cluster.`,
      );
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
