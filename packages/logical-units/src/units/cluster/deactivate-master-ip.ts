/** OP_CLUSTER_DEACTIVATE_MASTER_IP: the master gives up the cluster's address. */

import { bigLock } from "@ganeti-ts/locking";
import { ask, valueOrFail } from "../../calls.js";
import { areChecksAll } from "../../checks-done.js";
import { masterAddress } from "../../cluster/master-address.js";
import { asExclusive } from "../../locks.js";
import type { Unit } from "../../unit.js";

export const deactivateMasterIp: Unit<"OP_CLUSTER_DEACTIVATE_MASTER_IP"> = {
  opcode: "OP_CLUSTER_DEACTIVATE_MASTER_IP",

  locks: () => asExclusive(bigLock),

  async run(op, world) {
    if (await areChecksAll(world, op)) return null;
    const now = world.config.snapshot;
    const address = masterAddress(now);
    return valueOrFail(
      await ask(world, now.cluster.master_node, "node_deactivate_master_ip", address),
      "Could not deactivate the master IP",
    );
  },
};
