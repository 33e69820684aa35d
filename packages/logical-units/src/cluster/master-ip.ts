/**
 * OP_CLUSTER_ACTIVATE_MASTER_IP and OP_CLUSTER_DEACTIVATE_MASTER_IP: the master brings the
 * cluster's address up or down.
 */
import { bigLock } from "@ganeti-ts/locking";
import { ask, valueOrFail } from "../unit/calls.js";
import { areChecksAll } from "../unit/checks-done.js";
import { asExclusive } from "../unit/locks.js";
import type { Unit } from "../unit/unit.js";
import { masterAddress } from "./master-address.js";

const masterIpUnit = <
  Id extends "OP_CLUSTER_ACTIVATE_MASTER_IP" | "OP_CLUSTER_DEACTIVATE_MASTER_IP",
>(
  opcode: Id,
  call: "node_activate_master_ip" | "node_deactivate_master_ip",
  failure: string,
): Unit<Id> => ({
  opcode,
  locks: () => asExclusive(bigLock),
  async run(op, world) {
    if (await areChecksAll(world, op)) return null;
    const now = world.config.snapshot;
    const answer = await ask(world, now.cluster.master_node, call, masterAddress(now));
    return valueOrFail(answer, failure);
  },
});

export const activateMasterIp = masterIpUnit(
  "OP_CLUSTER_ACTIVATE_MASTER_IP",
  "node_activate_master_ip",
  "Could not activate the master IP",
);

export const deactivateMasterIp = masterIpUnit(
  "OP_CLUSTER_DEACTIVATE_MASTER_IP",
  "node_deactivate_master_ip",
  "Could not deactivate the master IP",
);
