/** NICs of new instances: plans from opcodes, and the NIC objects made from plans. */
import type { WantedInstance } from "@ganeti-ts/allocators";
import {
  generateMac,
  groupOf,
  isInNetwork,
  isIpAddress,
  isReserved,
  mustBeFreeMac,
  networkOfAddress,
  newUuid,
  nextFreeAddress,
  readMac,
  reserveAddress,
  type Snapshot,
} from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import type {
  NetworkObject,
  NicObject,
  NodeUuid,
  OpcodeNic,
  PartialNicparams,
  Random,
} from "@ganeti-ts/protocol";
import { wrongInput, wrongState } from "../../unit/refusals.js";
import { checkNicparams, saidNicparams } from "../parameters/nicparams.js";
import { nodeName } from "../state.js";
import { isNone } from "./names.js";

/** A NIC with the given values; the others are allotted in the step that reserves it. */
export interface PlannedNic {
  /** Undefined if it is to be generated. */
  readonly mac: string | undefined;
  readonly ip: string | "pool" | undefined;
  readonly network: NetworkObject["uuid"] | undefined;
  readonly name: string | undefined;
  readonly nicparams: PartialNicparams;
}

interface NameAddress {
  /** Address of the instance's name, if the name was looked up. */
  readonly checkedIp: string | undefined;
}

/** @throws PrereqError, ConfigError */
export function plannedNics(
  now: Snapshot,
  given: readonly OpcodeNic[],
  { checkedIp }: NameAddress,
): readonly PlannedNic[] {
  const macs = new Set<string>();
  return given.map((nic) => {
    const planned = plannedNic(now, nic, checkedIp);
    const { mac } = planned;
    if (mac === undefined) return planned;
    if (macs.has(mac)) {
      const text = `MAC address ${mac} already in use in cluster`;
      throw new PrereqError("resource_not_unique", text);
    }
    macs.add(mac);
    return planned;
  });
}

function plannedNic(now: Snapshot, nic: OpcodeNic, checkedIp: string | undefined): PlannedNic {
  const requested = nic.mode ?? undefined;
  const defaults = now.cluster.nicparams.default;
  const mode = requested === undefined || requested === "auto" ? defaults.mode : requested;
  const link = nic.link ?? nic.bridge ?? undefined;
  const network = isNone(nic.network) ? undefined : nic.network;
  if (network !== undefined && (requested !== undefined || link !== undefined)) {
    wrongInput("If network is given, no mode or link is allowed to be passed");
  }
  const ip = plannedAddress(nic.ip, network, checkedIp);
  if (mode === "routed" && ip === undefined && network === undefined) {
    wrongInput("Routed nic mode requires an ip address if not attached to a network");
  }
  const mac = plannedMac(nic.mac);
  if (mac !== undefined) mustBeFreeMac(now, mac);
  const nicparams = saidNicparams({
    ...(requested === undefined ? {} : { mode }),
    ...(link === undefined || link === "" ? {} : { link }),
    ...(isNone(nic.vlan) || nic.vlan === "" ? {} : { vlan: nic.vlan }),
  });
  checkNicparams({ ...defaults, ...nicparams } as typeof defaults);
  return {
    mac,
    ip,
    nicparams,
    name: isNone(nic.name) ? undefined : nic.name,
    network: network === undefined ? undefined : now.expectNetwork(network).uuid,
  };
}

function plannedAddress(
  given: string | null | undefined,
  network: string | undefined,
  checkedIp: string | undefined,
): string | undefined {
  if (isNone(given)) return undefined;
  if (given.toLowerCase() === "auto") {
    if (checkedIp === undefined) {
      wrongInput("IP address set to auto but name checks have been skipped");
    }
    return checkedIp;
  }
  if (given.toLowerCase() === "pool") {
    if (network === undefined) wrongInput("if ip=pool, parameter network must be passed too");
    return "pool";
  }
  if (!isIpAddress(given)) wrongInput(`Invalid IP address '${given}'`);
  return given;
}

/** Undefined if the address is to be generated. */
export function plannedMac(given: string | null | undefined): string | undefined {
  if (given === undefined || given === null || given === "auto" || given === "generate") {
    return undefined;
  }
  return readMac(given);
}

export interface Allotment {
  readonly nics: readonly NicObject[];
  /** Lines for the job's log. */
  readonly notes: readonly string[];
}

/**
 * Generated MAC addresses, addresses from pools and network parameters, from the current
 * configuration; for an instance without nodes, only the values that do not depend on its node.
 */
export function allottedNics(
  now: Snapshot,
  random: Random,
  planned: readonly PlannedNic[],
  node: NodeUuid | undefined,
  conflictsCheck: boolean,
): Allotment {
  const notes: string[] = [];
  const macs = new Set(planned.flatMap(({ mac }) => mac ?? []));
  const pools = new Map<string, NetworkObject>();
  const nics = planned.map((nic, at): NicObject => {
    const network = nic.network === undefined ? undefined : now.network(nic.network);
    if (nic.mac !== undefined) mustBeFreeMac(now, nic.mac);
    const mac = nic.mac ?? generateMac(now, random, network, macs);
    macs.add(mac);
    const { uuid: _, ...named } = {
      uuid: "",
      ...(nic.name === undefined ? {} : { name: nic.name }),
    };
    const made = { uuid: newUuid(now, random), mac, ...named };
    if (network === undefined) {
      const { ip } = nic;
      if (conflictsCheck && ip !== undefined && node !== undefined) {
        checkNoConflict(now, ip, node);
      }
      return { nicparams: nic.nicparams, ...made, ...(ip === undefined ? {} : { ip }) };
    }
    const nicparams = node === undefined ? nic.nicparams : netparams(now, network, node);
    if (node !== undefined) {
      const { link, mode, vlan } = nicparams;
      const values = [link, mode, vlan ?? ""].map((value) => `'${value}'`);
      notes.push(`NIC/${at} inherits netparams [${values.join(", ")}]`);
    }
    const pool = pools.get(network.uuid) ?? network;
    const ip = allottedAddress(pool, nic.ip, at, conflictsCheck);
    if (ip !== undefined) pools.set(network.uuid, reserveAddress(pool, ip));
    if (nic.ip === "pool") notes.push(`Chose IP ${ip} from network ${network.name}`);
    return { ...made, network: network.uuid, ...(ip === undefined ? {} : { ip }), nicparams };
  });
  return { nics, notes };
}

/** Parameters with which the node's group is connected to the network. */
function netparams(now: Snapshot, network: NetworkObject, node: NodeUuid): PartialNicparams {
  const found = groupOf(now, node)?.networks[network.uuid];
  if (found !== undefined) return found;
  return wrongInput(
    `No netparams found for network ${network.name}. Probably not connected to` +
      ` node's ${nodeName(now, node)} nodegroup`,
  );
}

/**
 * NICs with the network parameters of the node's group; unchanged without a node. If the node has
 * moved to a group without the network since they were `placed`, they keep their parameters, as
 * running instances stay connected too.
 */
export const placedNics = (
  now: Snapshot,
  nics: readonly NicObject[],
  node: NodeUuid | undefined,
  placed: readonly Pick<NicObject, "uuid" | "network">[] = [],
): readonly NicObject[] =>
  nics.map((nic) => {
    const network = nic.network === undefined ? undefined : now.network(nic.network);
    if (network === undefined || node === undefined) return nic;
    const isConnected = groupOf(now, node)?.networks[network.uuid] !== undefined;
    const before = placed.find(({ uuid }) => uuid === nic.uuid);
    if (!isConnected && before?.network === nic.network) return nic;
    return { ...nic, nicparams: netparams(now, network, node) };
  });

function allottedAddress(
  pool: NetworkObject,
  wanted: string | undefined,
  at: number,
  conflictsCheck: boolean,
): string | undefined {
  if (wanted === undefined) return undefined;
  if (wanted.toLowerCase() === "pool") {
    return pooledAddress(pool, `Unable to get a free IP for NIC ${at} from the address pool`);
  }
  if (!isFreeAddress(pool, wanted, conflictsCheck)) {
    const text = `IP address ${wanted} already in use or does not belong to network ${pool.name}`;
    throw new PrereqError("resource_not_unique", text);
  }
  return wanted;
}

/** @throws PrereqError with `refusal` if the pool is exhausted */
export function pooledAddress(pool: NetworkObject, refusal: string): string {
  try {
    return nextFreeAddress(pool);
  } catch (error) {
    throw new PrereqError("wrong_state", refusal, { cause: error });
  }
}

/**
 * Whether the address belongs to the network and is free; with `conflictsCheck`, externally
 * reserved addresses do not count as free.
 */
export const isFreeAddress = (
  pool: NetworkObject,
  address: string,
  conflictsCheck: boolean,
): boolean =>
  isInNetwork(pool, address) &&
  !isReserved(pool, address, "instances") &&
  !(conflictsCheck && isReserved(pool, address, "external"));

/** An address without a network must not lie in a network connected to the node's group. */
export function checkNoConflict(now: Snapshot, ip: string, node: NodeUuid): void {
  const network = networkOfAddress(now, ip);
  if (network === undefined || groupOf(now, node)?.networks[network.uuid] === undefined) return;
  wrongState(
    `The requested IP address (${ip}) belongs to network ${network.name}, but the target NIC does not.`,
  );
}

/**
 * NICs of a wanted instance in allocator requests, with symbolic values resolved to the cluster's
 * defaults.
 */
type AskedNic = WantedInstance["nics"][number];

/** Words for an address that is chosen later. */
const laterAddresses: ReadonlySet<string> = new Set(["auto", "pool"]);

/**
 * A NIC of an opcode. `ip` is an address or null; mode and link are the effective ones, and null in
 * a network, where the groups decide. `bridge` is the link of a bridged NIC.
 */
export function askedNic(
  { cluster }: Snapshot,
  { mac, ip, mode, link, bridge, network }: OpcodeNic,
): AskedNic {
  const defaults = isNone(network) ? cluster.nicparams.default : undefined;
  const given = mode === "auto" ? undefined : mode;
  const filled = {
    mode: given ?? defaults?.mode ?? null,
    link: link || bridge || defaults?.link || null,
  };
  return {
    mac: mac ?? "auto",
    ip: isNone(ip) || laterAddresses.has(ip.toLowerCase()) ? null : ip,
    network: isNone(network) ? null : network,
    ...filled,
    bridge: filled.mode === "bridged" ? filled.link : null,
  };
}

/** A planned NIC: its address may be known by now, its network is a UUID. */
export const askedPlannedNic = (
  now: Snapshot,
  { mac, ip, network, nicparams: { mode, link } }: PlannedNic,
): AskedNic => askedNic(now, { mac, ip, network, mode, link });
