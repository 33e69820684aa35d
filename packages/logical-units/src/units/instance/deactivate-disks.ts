/** OP_INSTANCE_DEACTIVATE_DISKS: brings the block devices of an instance down. */

import { secondaryNodes } from "@ganeti-ts/config";
import { areChecksAll } from "../../checks-done.js";
import { shutdownDisks } from "../../instance/activation.js";
import { checkInstanceState } from "../../instance/running.js";
import { down, namedRealInstance } from "../../instance/state.js";
import { asExclusive, instanceLock, nodeLock } from "../../locks.js";
import type { Unit } from "../../unit.js";

export const deactivateDisks: Unit<"OP_INSTANCE_DEACTIVATE_DISKS"> = {
  opcode: "OP_INSTANCE_DEACTIVATE_DISKS",

  locks(op, now) {
    const instance = namedRealInstance(now, op);
    const nodes = [instance.primary_node, ...secondaryNodes(now, instance)];
    return asExclusive(instanceLock(instance), ...nodes.map(nodeLock));
  },

  async run(op, world) {
    const now = world.config.snapshot;
    const instance = namedRealInstance(now, op);
    if (await areChecksAll(world, op)) return null;
    if (!op.force) await checkInstanceState(world, now, instance, down, "cannot shutdown disks");
    await shutdownDisks(world, instance);
    return null;
  },
};
