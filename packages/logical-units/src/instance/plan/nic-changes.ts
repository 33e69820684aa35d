/** NICs added to an instance, changed or removed. */
import {
  generateMac,
  groupOf,
  isIpAddress,
  newUuid,
  releaseAddress,
  reserveAddress,
  type Snapshot,
} from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import {
  type ForthcomingNic,
  instanceNicsMax,
  type NetworkObject,
  type NicChanges,
  type NicObject,
  type Nicparams,
  type NodeUuid,
  type OpcodeNic,
  type PartialNicparams,
  type Random,
} from "@ganeti-ts/protocol";
import { wrongInput, wrongState } from "../../unit/refusals.js";
import { checkNicparams, saidNicparams } from "../parameters/nicparams.js";
import { type Changed, checkNothingGiven, indexOf, newIndex } from "./changes.js";
import { checkDeviceNames, isNone } from "./names.js";
import { checkNoConflict, isFreeAddress, plannedMac, pooledAddress } from "./nics.js";

/** Hotplug action on a NIC of a running instance. */
export interface NicAction {
  readonly action: "add" | "modify" | "remove";
  readonly nic: NicObject;
  readonly index: number;
  /** Entry of the result after which the outcome is reported. */
  readonly parameter: string;
}

export interface ChangedNics {
  readonly nics: readonly NicObject[];
  readonly changed: readonly Changed[];
  readonly actions: readonly NicAction[];
  readonly notes: readonly string[];
}

/** Location of the NICs and the rules for their changes. */
export interface NicPlace {
  readonly node: NodeUuid | undefined;
  readonly conflictsCheck: boolean;
  /**
   * NICs of a reservation: their MAC addresses may be given again, and omitted values stay open.
   */
  readonly isReserved: boolean;
}

interface NicContext extends NicPlace {
  readonly now: Snapshot;
  readonly random: Random;
  /** Changed networks, by UUID. */
  readonly pools: Map<string, NetworkObject>;
  readonly macs: Set<string>;
  readonly notes: string[];
}

/** Checks that do not depend on the NICs. @throws PrereqError, ConfigError */
export function checkNicArguments(changes: NicChanges): void {
  for (const [action, , given] of changes) {
    checkNothingGiven("NIC", action, given);
    if (action !== "add" && action !== "modify") continue;
    const network = isNone(given.network) ? undefined : given.network;
    if (network !== undefined && (given.link != null || given.mode != null)) {
      wrongInput("If network is given mode or link should not");
    }
    if (given.ip?.toLowerCase() === "pool") {
      if (action === "add" && network === undefined) {
        wrongInput("If ip=pool, parameter network cannot be none");
      }
    } else if (!isNone(given.ip) && !isIpAddress(given.ip)) {
      wrongInput(`Invalid IP address '${given.ip}'`);
    }
    plannedMac(given.mac);
    if (action === "modify" && given.mac === "auto") {
      wrongInput("'auto' is not a valid MAC address when modifying an existing NIC");
    }
  }
}

/** The changed NICs, from the current configuration. @throws PrereqError, ConfigError */
export function changedNics(
  now: Snapshot,
  random: Random,
  before: readonly (NicObject | ForthcomingNic)[],
  changes: NicChanges,
  { node, conflictsCheck, isReserved }: NicPlace,
): ChangedNics {
  const nics = before.map((nic) => ({ nicparams: {}, ...nic }) as NicObject);
  const changed: Changed[] = [];
  const actions: NicAction[] = [];
  const notes: string[] = [];
  const context = {
    now,
    random,
    node,
    conflictsCheck,
    isReserved,
    notes,
    pools: new Map(),
    macs: new Set<string>(),
  };
  for (const [action, reference, given] of changes) {
    if (action === "attach" || action === "detach") {
      const word = action === "attach" ? "Attach" : "Detach";
      wrongInput(`${word} operation is not supported for NICs`);
    }
    if (action === "add") {
      const index = newIndex("NIC", reference, nics.length);
      const { nic, filled } = updatedNic(context, undefined, given);
      nics.splice(index, 0, nic);
      const { mode, link } = filled;
      const network = isNone(given.network) ? "None" : given.network;
      const text = `add:mac=${nic.mac},ip=${nic.ip ?? "None"},mode=${mode},link=${link},network=${network}`;
      changed.push([`nic.${index}`, text]);
      actions.push({ action, nic, index, parameter: `nic.${index}` });
      continue;
    }
    const index = indexOf("NIC", reference, nics);
    const old = nics[index] as NicObject;
    if (action === "remove") {
      nics.splice(index, 1);
      freeAddress(context, old);
      changed.push([`NIC/${index}`, "remove"]);
      actions.push({ action, nic: old, index, parameter: `NIC/${index}` });
      continue;
    }
    const { nic, filled } = updatedNic(context, old, given);
    nics[index] = nic;
    changed.push(...changesOf(old, nic, given, filled, index));
    actions.push({ action, nic, index, parameter: `nic/${index}` });
  }
  if (nics.length > instanceNicsMax) {
    wrongState(`Instance has too many network interfaces (${instanceNicsMax}), cannot add more`);
  }
  checkDeviceNames("NIC", nics);
  return { nics, changed, actions, notes };
}

function changesOf(
  old: NicObject,
  nic: NicObject,
  given: OpcodeNic,
  filled: Nicparams,
  index: number,
): Changed[] {
  const changed: Changed[] = [];
  for (const key of ["mac", "ip", "name"] as const) {
    if (given[key] !== undefined || (key === "mac" && nic.mac !== old.mac)) {
      changed.push([`nic.${key}/${index}`, nic[key] ?? null]);
    }
  }
  if (nic.network !== old.network) changed.push([`nic.network/${index}`, given.network ?? null]);
  for (const key of ["link", "mode", "vlan"] as const) {
    changed.push([`nic.${key}/${index}`, filled[key]]);
  }
  return changed;
}

/** The changed NIC; a new one if `old` is undefined. */
function updatedNic(context: NicContext, old: NicObject | undefined, given: OpcodeNic) {
  const { now, random } = context;
  const saysNetwork = given.network !== undefined;
  const named = saysNetwork ? (isNone(given.network) ? undefined : given.network) : old?.network;
  const network = named === undefined ? undefined : now.expectNetwork(named);
  const nicparams = updatedParams(context, old, given, network);
  const filled = { ...now.cluster.nicparams.default, ...nicparams } as Nicparams;
  checkNicparams(filled);
  const isBare = isNone(given.ip === undefined ? old?.ip : given.ip);
  if (filled.mode === "routed" && isBare && network === undefined) {
    wrongInput(
      "Cannot set the NIC IP address to None on a routed NIC if not attached to a network",
    );
  }
  if (filled.mode === "openvswitch") {
    context.notes.push(" - INFO: OVS links are currently not checked for correctness");
  }
  const mac = updatedMac(context, old, given, network);
  const ip = updatedAddress(context, old, given, network);
  const name = given.name === undefined ? old?.name : isNone(given.name) ? undefined : given.name;
  const nic: NicObject = {
    uuid: old?.uuid ?? newUuid(now, random),
    mac,
    // From now on the NIC stores all of its parameters itself.
    nicparams: context.isReserved ? nicparams : filled,
    ...(ip === undefined ? {} : { ip }),
    ...(name === undefined ? {} : { name }),
    ...(network === undefined ? {} : { network: network.uuid }),
  };
  return { nic, filled };
}

function updatedParams(
  { now, node }: NicContext,
  old: NicObject | undefined,
  given: OpcodeNic,
  network: NetworkObject | undefined,
): PartialNicparams {
  if (network !== undefined) {
    const isSame = network.uuid === old?.network;
    if (isSame && (given.link != null || given.mode != null)) {
      wrongInput("Not allowed to change link or mode of a NIC that is connected to a network");
    }
    if (node === undefined) return {};
    const found = groupOf(now, node)?.networks[network.uuid];
    return (
      found ??
      wrongInput(`No netparams found for the network ${network.name}, probably not connected`)
    );
  }
  return {
    // Parameters inherited from the former network are dropped.
    ...(old?.network === undefined ? old?.nicparams : {}),
    ...saidNicparams(given),
  };
}

function updatedAddress(
  context: NicContext,
  old: NicObject | undefined,
  given: OpcodeNic,
  network: NetworkObject | undefined,
): string | undefined {
  const { ip: before, network: oldNetwork } = old ?? {};
  const wanted = given.ip === undefined ? before : isNone(given.ip) ? undefined : given.ip;
  if (wanted === before && network?.uuid === oldNetwork) return wanted;
  const ip = wanted === undefined ? undefined : newAddress(context, wanted, network);
  // The pool must not return the address that the NIC has now.
  if (old !== undefined) freeAddress(context, old);
  return ip;
}

function newAddress(
  { now, node, pools, notes, conflictsCheck }: NicContext,
  wanted: string,
  network: NetworkObject | undefined,
): string {
  const isPool = wanted.toLowerCase() === "pool";
  if (network === undefined) {
    if (isPool) wrongInput("ip=pool, but no network found");
    if (conflictsCheck && node !== undefined) checkNoConflict(now, wanted, node);
    return wanted;
  }
  const pool = pools.get(network.uuid) ?? network;
  const ip = isPool ? pooledAddress(pool, "Unable to get a free IP from the address pool") : wanted;
  if (!isPool && !isFreeAddress(pool, ip, conflictsCheck)) {
    const text = `IP ${ip} not available in network ${network.name}`;
    throw new PrereqError("resource_not_unique", text);
  }
  pools.set(network.uuid, reserveAddress(pool, ip));
  const done = isPool ? `Chose IP ${ip} from` : `Reserving IP ${ip} in`;
  notes.push(` - INFO: ${done} network ${network.name}`);
  return ip;
}

function freeAddress({ now, pools }: NicContext, { ip, network: uuid }: NicObject): void {
  const network = uuid === undefined ? undefined : (pools.get(uuid) ?? now.network(uuid));
  if (ip !== undefined && network !== undefined)
    pools.set(network.uuid, releaseAddress(network, ip));
}

/** The existing MAC address, unless another one is given or the new network has another prefix. */
function updatedMac(
  { now, random, macs, isReserved }: NicContext,
  old: NicObject | undefined,
  given: OpcodeNic,
  network: NetworkObject | undefined,
): string {
  if (old !== undefined && given.mac === null) wrongInput("Cannot unset the NIC MAC address");
  const explicit = plannedMac(given.mac);
  if (explicit !== undefined) {
    const isKept = isReserved && explicit === old?.mac;
    if (!isKept && (now.keysOf("mac", explicit).length > 0 || macs.has(explicit))) {
      const text = `MAC address '${explicit}' already in use in cluster`;
      throw new PrereqError("resource_not_unique", text);
    }
    macs.add(explicit);
    return explicit;
  }
  const before = old?.network === undefined ? undefined : now.network(old.network);
  const isKept = given.mac === undefined && before?.mac_prefix === network?.mac_prefix;
  if (old !== undefined && isKept) return old.mac;
  const mac = generateMac(now, random, network, macs);
  macs.add(mac);
  return mac;
}
