/** OP_NETWORK_ADD, OP_NETWORK_RENAME and OP_NETWORK_REMOVE. */
import {
  checkTag,
  isInNetwork,
  newAddressPool,
  newUuid,
  put,
  removal,
  reserveAddress,
  type Snapshot,
  withTags,
} from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import { groupLockName } from "@ganeti-ts/locking";
import type { NetworkObject, NetworkUuid, OpcodeOf } from "@ganeti-ts/protocol";
import { compareNaturally } from "@ganeti-ts/protocol";
import { masterHooks } from "../hooks/hooks.js";
import { networkVariables } from "../hooks/instance-hooks.js";
import { created, info, warn } from "../unit/effects.js";
import { asExclusive, asShared, networkLock } from "../unit/locks.js";
import { orExecError, orTagError, wrongState } from "../unit/refusals.js";
import { changeConfig, contextAt, type Unit, type UnitContext } from "../unit/unit.js";
import { connectedGroups, readMacPrefix } from "./network-parameters.js";

type Op = OpcodeOf<"OP_NETWORK_ADD">;

/** OP_NETWORK_ADD: adds a network with its pool of addresses. */
export const addNetwork: Unit<"OP_NETWORK_ADD"> = {
  opcode: "OP_NETWORK_ADD",
  hooks: masterHooks("network-add", "NETWORK", (op) => networkVariables(op.network_name, op)),

  /** Keeps the addresses of nodes unchanged while they are reserved. */
  locks: (op) => (op.conflicts_check ? asShared(groupLockName("node")) : []),

  async run(op, world) {
    const { network, lines } = await changeConfig(world, op, (now) => {
      const existing = now.findNetwork(op.network_name);
      if (existing !== undefined) {
        throw new PrereqError(
          "already_exists",
          `Desired network name '${op.network_name}' already exists as a network (UUID: ${existing.uuid})`,
        );
      }
      const { network, lines } = networkOf(contextAt(world, now), op);
      const value = { network, lines };
      return { changes: [put("network", network)], value };
    });
    for (const { ok, text } of lines) (ok ? info : warn)(world, text);
    if (!op.dry_run) created(world, "network", network);
    return null;
  },
};

interface Line {
  readonly ok: boolean;
  readonly text: string;
}

function networkOf({ random, now }: Pick<UnitContext, "random" | "now">, op: Op) {
  const { network, gateway, network6, gateway6 } = op;
  const mac_prefix = op.mac_prefix === undefined ? undefined : readMacPrefix(op.mac_prefix);
  for (const tag of op.tags) orTagError(() => checkTag(tag));
  const pool = orExecError(
    () => newAddressPool(network, gateway),
    `Cannot create IP address pool for network '${op.network_name}'`,
  );
  let object: NetworkObject = {
    uuid: newUuid<NetworkUuid>(now, random),
    name: op.network_name,
    network,
    gateway,
    network6,
    gateway6,
    mac_prefix,
    ...pool,
    tags: orTagError(() => withTags([], op.tags)),
  };
  const lines: Line[] = [];
  for (const [address, ok, failed] of op.conflicts_check ? ownAddresses(now) : []) {
    if (!isInNetwork(object, address)) continue;
    try {
      object = reserveAddress(object, address, "external");
      lines.push({ ok: true, text: ok });
    } catch (error) {
      lines.push({ ok: false, text: `${failed}: ${(error as Error).message}` });
    }
  }
  for (const address of op.add_reserved_ips ?? []) {
    object = orExecError(
      () => reserveAddress(object, address, "external"),
      `Cannot reserve IP address '${address}'`,
    );
  }
  return { network: object, lines };
}

/**
 * Addresses that no instance may get, each once, with the log lines for success and failure of
 * their reservation.
 */
function* ownAddresses(now: Snapshot): Iterable<readonly [string, string, string]> {
  for (const { name, primary_ip, secondary_ip } of now.nodes()) {
    for (const ip of new Set([primary_ip, secondary_ip])) {
      yield [
        ip,
        `Reserved IP address of node '${name}' (${ip})`,
        `Cannot reserve IP address '${ip}' of node '${name}'`,
      ];
    }
  }
  const { master_ip } = now.cluster;
  yield [
    master_ip,
    `Reserved cluster master IP address (${master_ip})`,
    `Cannot reserve cluster master IP address (${master_ip})`,
  ];
}

/** OP_NETWORK_RENAME: renames a network; its UUID and references to it stay. */
export const renameNetwork: Unit<"OP_NETWORK_RENAME"> = {
  opcode: "OP_NETWORK_RENAME",

  locks: (op, now) => asExclusive(networkLock(now.expectNetwork(op.network_name).uuid)),

  async run(op, world) {
    const { uuid } = world.config.snapshot.expectNetwork(op.network_name);
    return changeConfig(world, op, (now) => {
      const taken = now.findNetwork(op.new_name);
      if (taken !== undefined) {
        throw new PrereqError(
          "already_exists",
          `Desired new name '${op.new_name}' clashes with existing network (UUID: ${taken.uuid})`,
        );
      }
      const object = { ...now.expectNetwork(uuid), name: op.new_name };
      return { changes: [put("network", object)], value: op.new_name };
    });
  },
};

/** OP_NETWORK_REMOVE: removes a network that no group is connected to. */
export const removeNetwork: Unit<"OP_NETWORK_REMOVE"> = {
  opcode: "OP_NETWORK_REMOVE",
  hooks: masterHooks("network-remove", "NETWORK", (op) => ({ NETWORK_NAME: op.network_name })),

  locks: (op, now) => [
    ...asShared(groupLockName("nodegroup")),
    ...asExclusive(networkLock(now.expectNetwork(op.network_name).uuid)),
  ],

  async run(op, world) {
    const now = world.config.snapshot;
    const { uuid } = now.expectNetwork(op.network_name);
    const groups = connectedGroups(now, now.expectNetwork(uuid));
    if (groups.length > 0) {
      const names = [...groups].sort(compareNaturally).join(", ");
      warn(
        world,
        `Network '${op.network_name}' is connected to the following node groups: ${names}`,
      );
      wrongState("Network still connected");
    }
    return changeConfig(world, op, () => ({
      changes: [removal("network", uuid)],
      value: null,
    }));
  },
};
