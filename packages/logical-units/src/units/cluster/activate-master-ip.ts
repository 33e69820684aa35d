/** OP_CLUSTER_ACTIVATE_MASTER_IP: the master takes the cluster's address. */

import { bigLock } from "@ganeti-ts/locking";
import { ask, valueOrFail } from "../../calls.js";
import { areChecksAll } from "../../checks-done.js";
import { masterAddress } from "../../cluster/master-address.js";
import { asExclusive } from "../../locks.js";
import type { Unit } from "../../unit.js";

export const activateMasterIp: Unit<"OP_CLUSTER_ACTIVATE_MASTER_IP"> = {
  opcode: "OP_CLUSTER_ACTIVATE_MASTER_IP",

  locks: () => asExclusive(bigLock),

  async run(op, world) {
    if (await areChecksAll(world, op)) return null;
    const now = world.config.snapshot;
    const address = masterAddress(now);
    return valueOrFail(
      await ask(world, now.cluster.master_node, "node_activate_master_ip", address),
      "Could not activate the master IP",
    );
  },
};
