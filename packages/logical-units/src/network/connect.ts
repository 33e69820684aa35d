/** OP_NETWORK_CONNECT: connects a group to a network, with the parameters for its NICs. */

import { isInNetwork, nicparamsFault, readNicMode, readVlan } from "@ganeti-ts/config";
import { changeConfig } from "../unit/config-change.js";
import { contextAt } from "../unit/context.js";
import { warn } from "../unit/feedback.js";
import { asExclusive, asShared, groupLock, instanceLock, networkLock } from "../unit/locks.js";
import { configurationError } from "../unit/refusals.js";
import type { Unit } from "../unit/unit.js";
import { allOfGroup, membersOfGroup, refuseConflicts } from "./conflicts.js";

export const connectNetwork: Unit<"OP_NETWORK_CONNECT"> = {
  opcode: "OP_NETWORK_CONNECT",
  hooks: {
    path: "network-connect",
    object: "NETWORK",
    environment: (op) => ({
      GROUP_NAME: op.group_name,
      GROUP_NETWORK_MODE: op.network_mode,
      GROUP_NETWORK_LINK: op.network_link,
      GROUP_NETWORK_VLAN: op.network_vlan,
    }),
    nodes: membersOfGroup,
  },

  locks(op, now) {
    const network = now.expectNetwork(op.network_name);
    const group = now.expectGroup(op.group_name);
    const checked = op.conflicts_check
      ? asShared(networkLock(network.uuid), ...allOfGroup(now, group).map(instanceLock))
      : [];
    return [...asExclusive(groupLock(group.uuid)), ...checked];
  },

  async run(op, world) {
    const now = world.config.snapshot;
    const network = now.expectNetwork(op.network_name);
    const group = now.expectGroup(op.group_name);
    if (op.network_mode === "pool") throw configurationError("Invalid NIC mode 'pool'");
    const mode = readNicMode(op.network_mode);
    const params = { mode, link: op.network_link, vlan: readVlan(op.network_vlan) };
    const fault = nicparamsFault(params);
    if (fault !== undefined) throw configurationError(fault);
    if (group.networks[network.uuid] !== undefined) {
      warn(world, `Network '${op.network_name}' is already mapped to group '${group.name}'`);
      return null;
    }
    if (op.conflicts_check) {
      refuseConflicts(
        contextAt(world, now),
        { networkName: op.network_name, group, action: "connect to" },
        ({ ip }) => ip !== undefined && isInNetwork(network, ip),
      );
    }
    return changeConfig(world, op, (latest) => {
      const before = latest.expectGroup(group.uuid);
      const { uuid } = latest.expectNetwork(network.uuid);
      const object = { ...before, networks: { ...before.networks, [uuid]: params } };
      return { changes: [{ kind: "put", type: "group", object }], value: null };
    });
  },
};
