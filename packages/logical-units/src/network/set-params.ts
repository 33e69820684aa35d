/**
 * OP_NETWORK_SET_PARAMS: changes gateway, MAC prefix, IPv6 settings and externally reserved
 * addresses.
 */

import type { ConfigChange, Snapshot } from "@ganeti-ts/config";
import { isReserved, put, releaseAddress, reserveAddress } from "@ganeti-ts/config";
import type { NetworkObject, OpcodeOf } from "@ganeti-ts/protocol";
import { masterHooks } from "../hooks/hooks.js";
import { networkVariables } from "../hooks/instance-hooks.js";
import { warn } from "../unit/effects.js";
import { asExclusive, networkLock } from "../unit/locks.js";
import { orExecError, wrongInput, wrongState } from "../unit/refusals.js";
import { changeConfig, type Unit } from "../unit/unit.js";
import { orNone, readMacPrefix } from "./network-parameters.js";

type Op = OpcodeOf<"OP_NETWORK_SET_PARAMS">;

export const setNetworkParams: Unit<"OP_NETWORK_SET_PARAMS"> = {
  opcode: "OP_NETWORK_SET_PARAMS",
  hooks: masterHooks("network-modify", "NETWORK", (op, now, { variables }) => {
    return variables ?? networkVariables(op.network_name, now.expectNetwork(op.network_name));
  }),

  locks: (op, now) => asExclusive(networkLock(now.expectNetwork(op.network_name).uuid)),

  async run(op, world) {
    if (op.gateway && (op.add_reserved_ips?.length || op.remove_reserved_ips?.length)) {
      wrongInput("Cannot modify gateway and reserved ips at once");
    }
    const { uuid } = world.config.snapshot.expectNetwork(op.network_name);
    const decide = (now: Snapshot) => {
      const warnings: string[] = [];
      const object = changedNetwork(op, now.expectNetwork(uuid), (text) => warnings.push(text));
      const change: ConfigChange = put("network", object);
      return { changes: [change], value: { warnings, object } };
    };
    const { warnings } = await changeConfig(world, op, decide, ({ object }) => ({
      variables: networkVariables(op.network_name, object),
    }));
    for (const text of warnings) warn(world, text);
    return null;
  },
};

function changedNetwork(
  op: Op,
  before: NetworkObject,
  warned: (text: string) => void,
): NetworkObject {
  let network = withGateway(op, before, warned);
  for (const address of op.add_reserved_ips ?? []) {
    network = unlessRefused(
      () => reserveAddress(network, address, "external"),
      (why) => warned(`Cannot reserve IP address ${address}: ${why}`),
      network,
    );
  }
  for (const address of op.remove_reserved_ips ?? []) {
    if (address === network.gateway) {
      warned("Cannot unreserve Gateway's IP");
      continue;
    }
    network = unlessRefused(
      () => releaseAddress(network, address, "external"),
      (why) => warned(`Cannot release IP address ${address}: ${why}`),
      network,
    );
  }
  const same = (text: string) => text;
  return {
    ...network,
    ...(op.mac_prefix ? { mac_prefix: orNone(op.mac_prefix, readMacPrefix) } : {}),
    ...(op.network6 ? { network6: orNone(op.network6, same) } : {}),
    ...(op.gateway6 ? { gateway6: orNone(op.gateway6, same) } : {}),
  };
}

/** Releases the old gateway's address and reserves the new one's. */
function withGateway(op: Op, before: NetworkObject, warned: (text: string) => void): NetworkObject {
  if (!op.gateway) return before;
  const gateway = orNone(op.gateway, (text) => text);
  if (gateway !== undefined && isReserved(before, gateway, "instances")) {
    wrongState(`Gateway IP address '${gateway}' is already reserved`);
  }
  if (gateway === before.gateway) {
    warned(`Gateway is already ${gateway ?? "None"}`);
    return before;
  }
  let network: NetworkObject = { ...before, gateway };
  if (gateway !== undefined) {
    network = orExecError(() => reserveAddress(network, gateway, "external"));
  }
  return before.gateway === undefined
    ? network
    : orExecError(() => releaseAddress(network, before.gateway as string, "external"));
}

function unlessRefused(
  change: () => NetworkObject,
  refused: (why: string) => void,
  otherwise: NetworkObject,
): NetworkObject {
  try {
    return change();
  } catch (error) {
    refused((error as Error).message);
    return otherwise;
  }
}
