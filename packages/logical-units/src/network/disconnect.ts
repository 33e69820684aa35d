/** OP_NETWORK_DISCONNECT: disconnects a group from a network that none of its instances uses. */

import { changeConfig } from "../unit/config-change.js";
import { contextAt } from "../unit/context.js";
import { warn } from "../unit/feedback.js";
import { asExclusive, asShared, groupLock, instanceLock } from "../unit/locks.js";
import type { Unit } from "../unit/unit.js";
import { allOfGroup, membersOfGroup, refuseConflicts } from "./conflicts.js";

export const disconnectNetwork: Unit<"OP_NETWORK_DISCONNECT"> = {
  opcode: "OP_NETWORK_DISCONNECT",
  hooks: {
    path: "network-disconnect",
    object: "NETWORK",
    environment(op, now) {
      const { uuid } = now.expectNetwork(op.network_name);
      const found = now.expectGroup(op.group_name).networks[uuid];
      return {
        GROUP_NAME: op.group_name,
        ...(found === undefined
          ? {}
          : {
              GROUP_NETWORK_MODE: found.mode,
              GROUP_NETWORK_LINK: found.link,
              GROUP_NETWORK_VLAN: found.vlan,
            }),
      };
    },
    nodes: membersOfGroup,
  },

  locks(op, now) {
    now.expectNetwork(op.network_name);
    const group = now.expectGroup(op.group_name);
    return [
      ...asExclusive(groupLock(group.uuid)),
      ...asShared(...allOfGroup(now, group).map(instanceLock)),
    ];
  },

  async run(op, world) {
    const now = world.config.snapshot;
    const { uuid } = now.expectNetwork(op.network_name);
    const group = now.expectGroup(op.group_name);
    if (group.networks[uuid] === undefined) {
      warn(world, `Network '${op.network_name}' is not mapped to group '${group.name}'`);
      return null;
    }
    refuseConflicts(
      contextAt(world, now),
      { networkName: op.network_name, group, action: "disconnect from" },
      ({ network }) => network === uuid,
    );
    return changeConfig(world, op, (latest) => {
      const before = latest.expectGroup(group.uuid);
      const { [uuid]: _gone, ...networks } = before.networks;
      return {
        changes: [{ kind: "put", type: "group", object: { ...before, networks } }],
        value: null,
      };
    });
  },
};
