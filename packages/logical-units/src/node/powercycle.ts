/** OP_NODE_POWERCYCLE: hard reboot of a node, even of an offline one. */

import { hypervisorOnNode } from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import { ask, valueOrFail } from "../unit/calls.js";
import { areChecksAll } from "../unit/checks-done.js";
import { namedNode } from "../unit/named-node.js";
import type { Unit } from "../unit/unit.js";

export const powercycleNode: Unit<"OP_NODE_POWERCYCLE"> = {
  opcode: "OP_NODE_POWERCYCLE",

  /** No locks: the job that holds the node may be the one that hangs. */
  locks: () => [],

  async run(op, world) {
    const now = world.config.snapshot;
    const node = namedNode(now, op);
    if (node.uuid === now.cluster.master_node && !op.force) {
      throw new PrereqError(
        "wrong_input",
        "The node is the master and the force parameter was not set",
      );
    }
    if (await areChecksAll(world, op)) return null;
    const [hypervisor = ""] = now.cluster.enabled_hypervisors;
    return valueOrFail(
      await ask(world, node.uuid, "node_powercycle", hypervisorOnNode(now, hypervisor)),
      "Failed to schedule the reboot",
    );
  },
};
