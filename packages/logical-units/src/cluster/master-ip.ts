/** OP_CLUSTER_ACTIVATE_MASTER_IP and OP_CLUSTER_DEACTIVATE_MASTER_IP: the master brings the cluster's address up or down. */
import { isIpv6, type Snapshot } from "@ganeti-ts/config";
import { bigLock } from "@ganeti-ts/locking";
import type { MasterAddress } from "@ganeti-ts/node-calls";
import { ask, valueOrFail } from "../unit/effects.js";
import { asExclusive } from "../unit/locks.js";
import { areChecksAll, type Unit } from "../unit/unit.js";

/** Address of the cluster in the form of the calls that bring it up and down. */
export const masterAddress = ({ cluster }: Pick<Snapshot, "cluster">): MasterAddress => ({
  uuid: cluster.master_node,
  ip: cluster.master_ip,
  netdev: cluster.master_netdev,
  netmask: cluster.master_netmask,
  family: isIpv6(cluster.master_ip) ? 6 : 4,
  externalScript: cluster.use_external_mip_script,
});

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
