/** OP_NETWORK_CONNECT and OP_NETWORK_DISCONNECT: networks of node groups. */
import { isInNetwork, nicparamsFault, put, readNicMode, readVlan } from "@ganeti-ts/config";
import { warn } from "../unit/effects.js";
import { asExclusive, asShared, groupLock, instanceLock, networkLock } from "../unit/locks.js";
import { configurationError } from "../unit/refusals.js";
import { changeConfig, contextAt, type Unit } from "../unit/unit.js";
import { allOfGroup, membersOfGroup, refuseConflicts } from "./conflicts.js";

/** OP_NETWORK_CONNECT: connects a group to a network, with the parameters for its NICs. */
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
      return { changes: [put("group", object)], value: null };
    });
  },
};

/** OP_NETWORK_DISCONNECT: disconnects a group from a network that none of its instances uses. */
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
        changes: [put("group", { ...before, networks })],
        value: null,
      };
    });
  },
};
